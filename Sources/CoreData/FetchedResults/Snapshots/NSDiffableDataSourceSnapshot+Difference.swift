import OrderedCollections

extension NSDiffableDataSourceSnapshot {
  /// The least that turns another snapshot into this one: what is only shifted by others is not named, and
  /// of sections and of rows within a section as many stay as keep their order.
  ///
  /// Items that this snapshot marks as reloaded or reconfigured and that stay where they are, are among the
  /// reloaded rows. O(n log n) for n items in both.
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
