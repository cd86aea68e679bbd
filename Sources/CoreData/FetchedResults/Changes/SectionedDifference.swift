/// The difference between two sets of lists, such as the rows of sections or the children of objects. An item that
/// leaves one list and enters another is moved.
///
/// O(n log n) for n items in all.
struct SectionedDifference {
  /// An item that is in an old list and in a new list.
  struct Pair {
    let old: ResultPath
    let new: ResultPath
    /// Whether the item is in another list, or its position relative to the items that stay in its list changed.
    let isMoved: Bool
  }

  /// The old paths of the deleted items, ascending.
  private(set) var deleted: [ResultPath] = []
  /// The new paths of the inserted items. Items in new lists come first.
  private(set) var inserted: [ResultPath] = []
  /// The items that stay in their lists, followed by those that moved to another list.
  private(set) var staying: [Pair] = []

  /// - Parameters:
  ///   - old: The items of each list.
  ///   - lists: The lists that exist before and after, by their indexes. The items of all other lists leave or arrive.
  ///   - prefersLowPlaces: As for ``ListDifference``.
  ///   - weight: As for ``ListDifference``, given the paths of an item in a list that stays.
  init<List: RandomAccessCollection>(
    from old: [List], to new: [List], lists: [(old: Int, new: Int)], prefersLowPlaces: Bool = false,
    weight: (_ old: ResultPath, _ new: ResultPath) -> Int = { _, _ in 1 }
  ) where List.Element: Hashable, List.Index == Int {
    var leaving: [List.Element: [ResultPath]] = [:]
    func leave(_ path: ResultPath) {
      // An item can be in several lists, like an object with several parents.
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
