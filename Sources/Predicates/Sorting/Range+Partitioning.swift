extension Range<Int> {
  /// The first number for which a condition holds that holds for all later ones too; the upper bound where there is none.
  ///
  /// Cost: the logarithm of the count. Inlined everywhere, as trees of results search in each node.
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
