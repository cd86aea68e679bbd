/// The indexes of some elements of a list. Maps between indexes in the list and indexes in the list without these
/// elements.
struct SortedPlaces {
  /// The indexes, ascending.
  let places: [Int]

  init(_ places: [Int]) { self.places = places.sorted() }

  /// Returns the number of these indexes that are lower than an index.
  func count(before place: Int) -> Int { places.indices.partitioningIndex { places[$0] >= place } }

  /// Returns the index in the list of the n-th element that is not in this set.
  func place(ofRemaining number: Int) -> Int {
    // An index of this set precedes that element if at most `number` remaining elements precede the index.
    number + places.indices.partitioningIndex { places[$0] - $0 > number }
  }
}
