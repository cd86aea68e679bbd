import Foundation
import OrderedCollections

extension NSDiffableDataSourceSnapshot {
  /// The least that turns another snapshot into this one: what is only shifted by others is not named, and
  /// of sections and of rows within a section as many stay as keep their order.
  ///
  /// Items that this snapshot marks as reloaded or reconfigured and that stay where they are, are among the
  /// reloaded rows. O(n log n) for n items in both.
  public func difference(from old: Self) -> TableUpdates {
    var updates = TableUpdates()
    for (place, section) in old.contents.keys.enumerated().reversed() {
      if contents[section] == nil { updates.deletedSections.append(place) }
      for (row, item) in old.contents.values[place].enumerated().reversed()
      where sectionsOfItems[item] == nil {
        updates.deletedRows.append(IndexPath(row: row, section: place))
      }
    }
    let sections = contents.keys.map { old.contents.index(forKey: $0) }
    let staying = Self.longestRun(sections)
    for (place, oldPlace) in sections.enumerated() {
      guard let oldPlace else {
        updates.insertedSections.append(place)
        continue
      }
      if !staying.contains(place) {
        updates.movedSections.append(TableUpdates.SectionChange(old: oldPlace, new: place))
      }
      if reloadedSections.contains(contents.keys[place]) {
        updates.reloadedSections.append(TableUpdates.SectionChange(old: oldPlace, new: place))
      }
    }
    for place in contents.values.indices { noteRows(ofSection: place, old, in: &updates) }
    return updates
  }

  private func noteRows(ofSection place: Int, _ old: Self, in updates: inout TableUpdates) {
    let section = contents.keys[place]
    let oldRows = old.contents[section]
    let oldPlace = old.contents.index(forKey: section)
    let items = contents.values[place]
    // Where those that were in this section stood.
    let rows = items.map { item in
      old.sectionsOfItems[item] == section ? oldRows?.firstIndex(of: item) : nil
    }
    let staying = Self.longestRun(rows)
    for (row, item) in items.enumerated() {
      let new = IndexPath(row: row, section: place)
      if staying.contains(row), let oldPlace, let oldRow = rows[row] {
        guard reloadedItems.contains(item) || reconfiguredItems.contains(item) else { continue }
        updates.reloadedRows.append(
          TableUpdates.RowChange(old: IndexPath(row: oldRow, section: oldPlace), new: new))
      } else if let was = old.place(of: item) {
        updates.movedRows.append(
          TableUpdates.RowChange(old: IndexPath(row: was.row, section: was.section), new: new))
      } else {
        updates.insertedRows.append(new)
      }
    }
  }

  /// The positions of a longest increasing run of the numbers that are there.
  private static func longestRun(_ numbers: [Int?]) -> Set<Int> {
    // By length less one: the position of the least number that such a run ends with.
    var ends: [Int] = []
    var previous = [Int?](repeating: nil, count: numbers.count)
    for (position, number) in numbers.enumerated() {
      guard let number else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if (numbers[ends[middle]] ?? 0) < number { low = middle + 1 } else { high = middle }
      }
      previous[position] = low > 0 ? ends[low - 1] : nil
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var run: Set<Int> = []
    var position = ends.last
    while let current = position {
      run.insert(current)
      position = previous[current]
    }
    return run
  }
}
