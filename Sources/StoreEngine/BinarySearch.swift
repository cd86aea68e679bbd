extension Range<Int> {
  /// Returns the first number that a condition does not hold for, or the end. It holds for all numbers before that one,
  /// and for none after it, so few of them are tried.
  @inlinable @inline(__always)
  package func end(while holds: (Int) throws -> Bool) rethrows -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if try holds(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
