/// A set of rows of one store, stored as ranges of keys. A lookup takes logarithmic time in the number of ranges.
package struct KeyRanges {
  /// The ascending, disjoint ranges of keys, by the index of the root entity.
  private var ranges: [Int: [ClosedRange<Int64>]] = [:]

  package init(_ runs: [BatchKeys.Run]) {
    for run in runs { ranges[run.layout.rootIndex, default: []].append(run.keys) }
    ranges = ranges.mapValues { keys in
      var joined: [ClosedRange<Int64>] = []
      for range in keys.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = joined.last, range.lowerBound <= last.upperBound {
          joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        } else {
          joined.append(range)
        }
      }
      return joined
    }
  }

  package func contains(_ key: Int64, _ layout: EntityLayout) -> Bool {
    guard let ranges = ranges[layout.rootIndex] else { return false }
    let place = ranges.indices.partitioningIndex { ranges[$0].upperBound >= key }
    return place < ranges.count && ranges[place].contains(key)
  }
}
