/// What turns some lists, the rows of sections or the children of objects, into others. An item that leaves one list and
/// arrives at another has moved.
///
/// O(n log n) for n items in all.
struct SectionedDifference {
  /// An item that is in an old list and in a new one.
  struct Pair {
    let old: ResultPath
    let new: ResultPath
    /// Whether it is in another list, or elsewhere among those that stay in its own.
    let isMoved: Bool
  }

  /// Old places, ascending.
  private(set) var deleted: [ResultPath] = []
  /// New places; those in lists that are new come first.
  private(set) var inserted: [ResultPath] = []
  /// Those that stay in their lists, then those that are in another.
  private(set) var staying: [Pair] = []

  /// - Parameters:
  ///   - old: the items of each list.
  ///   - lists: the lists that stay, by their places before and after; the items of others leave or arrive.
  ///   - prefersLowPlaces: as for ``ListDifference``, whose `weight` is given the places in a list that stays.
  init<List: RandomAccessCollection>(
    from old: [List], to new: [List], lists: [(old: Int, new: Int)], prefersLowPlaces: Bool = false,
    weight: (_ old: ResultPath, _ new: ResultPath) -> Int = { _, _ in 1 }
  ) where List.Element: Hashable, List.Index == Int {
    var leaving: [List.Element: [ResultPath]] = [:]
    func leave(_ path: ResultPath) {
      leaving[old[path.section][path.row], default: []].append(path)
    }
    let (keptOld, keptNew) = (Set(lists.map(\.old)), Set(lists.map(\.new)))
    for section in old.indices where !keptOld.contains(section) {
      for row in old[section].indices { leave(ResultPath(section: section, row: row)) }
    }
    var arriving: [ResultPath] = []
    for section in new.indices where !keptNew.contains(section) {
      arriving += new[section].indices.map { ResultPath(section: section, row: $0) }
    }
    for list in lists {
      let oldPath = { ResultPath(section: list.old, row: $0) }
      let newPath = { ResultPath(section: list.new, row: $0) }
      let difference = ListDifference(
        from: old[list.old], to: new[list.new], prefersLowPlaces: prefersLowPlaces
      ) { weight(oldPath($0), newPath($1)) }
      for row in difference.removed { leave(oldPath(row)) }
      arriving += difference.inserted.map(newPath)
      staying += difference.staying.map {
        Pair(old: oldPath($0.old), new: newPath($0.new), isMoved: $0.isMoved)
      }
    }
    for path in arriving {
      if let former = leaving[new[path.section][path.row]]?.popLast() {
        staying.append(Pair(old: former, new: path, isMoved: true))
      } else {
        inserted.append(path)
      }
    }
    deleted = leaving.values.joined().sorted()
  }
}
