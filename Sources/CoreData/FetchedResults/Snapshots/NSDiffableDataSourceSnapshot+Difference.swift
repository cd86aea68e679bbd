import OrderedCollections

extension NSDiffableDataSourceSnapshot {
  /// The least that turns another snapshot into this one: what is only shifted by others is not named, and
  /// of sections and of rows within a section as many stay as keep their order.
  ///
  /// Items that this snapshot marks as reloaded or reconfigured and that stay where they are, are among the
  /// reloaded rows. O(n log n) for n items in both.
  public func difference(from old: Self) -> TableUpdates {
    var updates = TableUpdates()
    for (place, items) in old.contents.values.enumerated().reversed() {
      for (row, item) in items.enumerated().reversed() where sectionsOfItems[item] == nil {
        updates.deletedRows.append(IndexPath(row: row, section: place))
      }
    }
    let sections = ListDifference(
      from: old.contents.keys, to: contents.keys, prefersLowPlaces: true)
    updates.deletedSections = sections.removed.reversed()
    updates.insertedSections = sections.inserted
    var oldPlaces: [Int: Int] = [:]
    for section in sections.staying {
      oldPlaces[section.new] = section.old
      let change = TableUpdates.SectionChange(old: section.old, new: section.new)
      if section.isMoved { updates.movedSections.append(change) }
      if reloadedSections.contains(contents.keys[section.new]) {
        updates.reloadedSections.append(change)
      }
    }
    for place in contents.values.indices {
      noteRows(ofSection: place, oldPlaces[place], old, in: &updates)
    }
    return updates
  }

  private func noteRows(
    ofSection place: Int, _ oldPlace: Int?, _ old: Self, in updates: inout TableUpdates
  ) {
    let items = contents.values[place]
    let rows = ListDifference(
      from: oldPlace.map { old.contents.values[$0] } ?? [], to: items, prefersLowPlaces: true)
    // Of those that stay in the section, where they were.
    var staying: [Int: Int] = [:]
    for row in rows.staying where !row.isMoved { staying[row.new] = row.old }
    for (row, item) in items.enumerated() {
      let new = IndexPath(row: row, section: place)
      if let oldPlace, let oldRow = staying[row] {
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
}
