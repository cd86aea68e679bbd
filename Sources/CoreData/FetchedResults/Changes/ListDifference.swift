/// The difference between two lists: removed and inserted indexes, and the smallest set of moves of the remaining
/// items.
struct ListDifference {
  /// An item that is in both lists.
  struct Pair {
    let old: Int
    let new: Int
    /// Whether its position relative to the other remaining items changed.
    let isMoved: Bool
  }

  /// The removed items' old indexes, ascending.
  private(set) var removed: [Int] = []
  /// The inserted items' new indexes, ascending.
  private(set) var inserted: [Int] = []
  private(set) var staying: [Pair] = []

  /// Compares two lists. The remaining items are sorted by new index. O(n log n) for n items in both lists.
  ///
  /// - Parameters:
  ///   - old: The old list. Neither list contains an item twice.
  ///   - prefersLowPlaces: Which items stay if several choices are equally good: see `MoveFinder.heaviestRun`.
  ///   - weight: The value of not moving an item, given its old and new index; more than 0.
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

  /// Computes the difference between lists in which all unchanged items keep their order. The changed items come first
  /// in ``staying``, in the given order. They are followed by other items that move, if this saves moves. O(k log k)
  /// for k given items.
  ///
  /// - Parameters:
  ///   - leaving: The old indexes of removed items.
  ///   - arriving: The new indexes of inserted items.
  ///   - changed: The remaining items whose order may have changed.
  ///   - count: The number of items in the new list.
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
