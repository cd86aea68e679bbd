/// A set of places in a list, for renumbering what is left without them.
struct SortedPlaces {
  /// Ascending.
  let places: [Int]

  init(_ places: [Int]) { self.places = places.sorted() }

  /// How many of the places come before one.
  func count(before place: Int) -> Int {
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Where the n-th of the list's other members stands.
  func place(ofRemaining number: Int) -> Int {
    // So many of the places come before it: those with fewer others before them.
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle] - middle <= number { low = middle + 1 } else { high = middle }
    }
    return number + low
  }
}
