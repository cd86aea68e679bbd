/// What turns one list into another: whose places go and come, and which of those that stay move, the least that can.
struct ListDifference {
  /// An item that is in both lists.
  struct Pair {
    let old: Int
    let new: Int
    /// Whether it is elsewhere among those that stay.
    let isMoved: Bool
  }

  /// Old places, ascending.
  private(set) var removed: [Int] = []
  /// New places, ascending.
  private(set) var inserted: [Int] = []
  private(set) var staying: [Pair] = []

  /// Compares two lists; the items that stay are by new place. O(n log n) for n items in both.
  ///
  /// - Parameters:
  ///   - old: each item once, as in the other.
  ///   - prefersLowPlaces: which items stay where several choices are as good: see `MoveFinder.heaviestRun`.
  ///   - weight: what it is worth that an item does not move, given its places; more than 0.
  init<Item: Hashable>(
    from old: some Sequence<Item>, to new: some Sequence<Item>, prefersLowPlaces: Bool = false,
    weight: (_ old: Int, _ new: Int) -> Int = { _, _ in 1 }
  ) {
    var places = [Item: Int](minimumCapacity: old.underestimatedCount)
    var count = 0
    for item in old {
      places[item] = count
      count += 1
    }
    var isRemoved = [Bool](repeating: true, count: count)
    var pairs: [(old: Int, new: Int)] = []
    for (place, item) in new.enumerated() {
      if let former = places[item] {
        pairs.append((former, place))
        isRemoved[former] = false
      } else {
        inserted.append(place)
      }
    }
    removed = isRemoved.indices.filter { isRemoved[$0] }
    let kept = MoveFinder.heaviestRun(
      pairs.map(\.old), pairs.map { weight($0.old, $0.new) }, prefersLowPlaces: prefersLowPlaces)
    var isKept = [Bool](repeating: false, count: pairs.count)
    for position in kept { isKept[position] = true }
    staying = pairs.indices.map {
      Pair(old: pairs[$0].old, new: pairs[$0].new, isMoved: !isKept[$0])
    }
  }

  /// The difference where all items but some keep their order: those are first among the ones that stay, as they were
  /// given, and after them come the others that move, where that is less. O(k log k) for k items that are given.
  ///
  /// - Parameters:
  ///   - leaving: old places.
  ///   - arriving: new places.
  ///   - changed: the items that stay and may be elsewhere.
  ///   - count: how many items the new list has.
  init(leaving: [Int], arriving: [Int], changed: [(old: Int, new: Int)], count: Int) {
    let (left, arrived) = (SortedPlaces(leaving), SortedPlaces(arriving))
    let remaining = changed.map {
      MoveFinder.Changed(
        old: $0.old - left.count(before: $0.old), new: $0.new - arrived.count(before: $0.new))
    }
    let finder = MoveFinder(remaining, count: count - arriving.count)
    removed = left.places
    inserted = arrived.places
    staying = zip(changed, finder.movedChanged).map {
      Pair(old: $0.old, new: $0.new, isMoved: $1)
    }
    if finder.movedOthers.isEmpty { return }
    let (oldChanged, newChanged) = (
      SortedPlaces(remaining.map(\.old)), SortedPlaces(remaining.map(\.new))
    )
    staying += finder.movedOthers.joined().map { number in
      Pair(
        old: left.place(ofRemaining: oldChanged.place(ofRemaining: number)),
        new: arrived.place(ofRemaining: newChanged.place(ofRemaining: number)), isMoved: true)
    }
  }
}
