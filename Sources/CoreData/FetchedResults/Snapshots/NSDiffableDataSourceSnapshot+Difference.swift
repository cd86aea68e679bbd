import OrderedCollections

extension NSDiffableDataSourceSnapshot {
  /// Returns the smallest set of changes that turns another snapshot into this one. Sections and items that only shift
  /// because of other changes are not included. The number of moves is minimal.
  ///
  /// Items that this snapshot marks as reloaded or reconfigured are among the reloaded rows, unless they are new or
  /// move. Sections that it marks as reloaded are among the reloaded sections, unless they are new. O(n log n) for n
  /// items in both snapshots.
  public func difference(from old: Self) -> TableUpdates {
    var updates = TableUpdates()
    let sections = ListDifference(
      from: old.contents.keys, to: contents.keys, prefersLowPlaces: true)
    updates.deletedSections = sections.removed
    updates.insertedSections = sections.inserted
    for section in sections.staying {
      let change = TableUpdates.SectionChange(old: section.old, new: section.new)
      if section.isMoved { updates.movedSections.append(change) }
      if reloadedSections.contains(contents.keys[section.new]) {
        updates.reloadedSections.append(change)
      }
    }
    let rows = SectionedDifference(
      from: Array(old.contents.values), to: Array(contents.values),
      lists: sections.staying.map { ($0.old, $0.new) }, prefersLowPlaces: true)
    updates.deletedRows = rows.deleted.map(\.indexPath)
    updates.insertedRows = rows.inserted.map(\.indexPath)
    for row in rows.staying {
      let item = contents.values[row.new.section][row.new.row]
      guard row.isMoved || reloadedItems.contains(item) || reconfiguredItems.contains(item) else {
        continue
      }
      let change = TableUpdates.RowChange(old: row.old.indexPath, new: row.new.indexPath)
      if row.isMoved {
        updates.movedRows.append(change)
      } else {
        updates.reloadedRows.append(change)
      }
    }
    updates.sort()
    return updates
  }
}
