/// A set of places in a list, for renumbering what is left without them.
struct SortedPlaces {
  /// Ascending.
  let places: [Int]

  init(_ places: [Int]) { self.places = places.sorted() }

  /// How many of the places come before one.
  func count(before place: Int) -> Int { places.indices.partitioningIndex { places[$0] >= place } }

  /// Where the n-th of the list's other members stands.
  func place(ofRemaining number: Int) -> Int {
    // So many of the places come before it: those with fewer others before them.
    number + places.indices.partitioningIndex { places[$0] - $0 > number }
  }
}
