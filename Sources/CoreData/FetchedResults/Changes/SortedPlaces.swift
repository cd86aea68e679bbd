/// A set of indexes in a list, which maps between indexes of the list with and without these elements.
struct SortedPlaces {
  /// The indexes, ascending.
  let places: [Int]

  init(_ places: [Int]) { self.places = places.sorted() }

  /// Returns the number of these indexes that are lower than an index.
  func count(before place: Int) -> Int { places.indices.partitioningIndex { places[$0] >= place } }

  /// Returns the index in the list of the n-th element that is not in this set.
  func place(ofRemaining number: Int) -> Int {
    // The indexes before it are those with at most `number` other elements before them.
    number + places.indices.partitioningIndex { places[$0] - $0 > number }
  }
}
