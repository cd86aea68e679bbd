extension Range<Int> {
  /// Returns the first number for which a condition is true; the upper bound if there is none. If the condition is true
  /// for a number, it must also be true for all greater numbers.
  ///
  /// Cost: logarithmic in the count. Always inlined, because the trees of live results search in every node.
  @inlinable @inline(__always)
  package func partitioningIndex(where isLater: (Int) throws -> Bool) rethrows -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if try isLater(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
