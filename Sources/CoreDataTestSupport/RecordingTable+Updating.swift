public import CoreData

extension RecordingTable: TableViewUpdating {
  /// The animation of a change, which a recording table ignores.
  public typealias RowAnimation = TableRowAnimation

  /// Begins a batch. A nested batch is part of the outer one.
  public func beginUpdates() {
    if depth == 0 { batch = TableUpdates() }
    depth += 1
  }

  /// Ends the batch and applies it.
  public func endUpdates() {
    guard depth > 0 else { return fail("endUpdates without beginUpdates") }
    depth -= 1
    guard depth == 0 else { return }
    guard let source else {
      return fail("the table has no source for its rows: pass one to init(traps:source:)")
    }
    // The source is read only now, as a table view reads its data source at the end of the
    // outermost batch.
    apply(batch, expecting: source())
  }

  /// Records a change. Outside of a batch, a change is a batch of its own.
  private func change(_ call: String, _ body: (inout TableUpdates) -> Void) {
    beginUpdates()
    calls.append(call)
    body(&batch)
    endUpdates()
  }

  private static func text(_ sections: IndexSet) -> String {
    sections.map(String.init).joined(separator: " ")
  }

  private static func text(_ paths: [IndexPath]) -> String {
    paths.map(\.text).joined(separator: " ")
  }

  /// Inserts sections.
  public func insertSections(_ sections: IndexSet, with animation: TableRowAnimation) {
    change("insertSections \(Self.text(sections))") { $0.insertedSections += Array(sections) }
  }

  /// Deletes sections.
  public func deleteSections(_ sections: IndexSet, with animation: TableRowAnimation) {
    change("deleteSections \(Self.text(sections))") { $0.deletedSections += Array(sections) }
  }

  /// Reloads sections.
  public func reloadSections(_ sections: IndexSet, with animation: TableRowAnimation) {
    change("reloadSections \(Self.text(sections))") {
      $0.reloadedSections += sections.map { TableUpdates.SectionChange(old: $0, new: $0) }
    }
  }

  /// Moves a section.
  public func moveSection(_ section: Int, toSection newSection: Int) {
    change("moveSection \(section)>\(newSection)") {
      $0.movedSections.append(TableUpdates.SectionChange(old: section, new: newSection))
    }
  }

  /// Inserts rows.
  public func insertRows(at indexPaths: [IndexPath], with animation: TableRowAnimation) {
    change("insertRows \(Self.text(indexPaths))") { $0.insertedRows += indexPaths }
  }

  /// Deletes rows.
  public func deleteRows(at indexPaths: [IndexPath], with animation: TableRowAnimation) {
    change("deleteRows \(Self.text(indexPaths))") { $0.deletedRows += indexPaths }
  }

  /// Reloads rows.
  public func reloadRows(at indexPaths: [IndexPath], with animation: TableRowAnimation) {
    change("reloadRows \(Self.text(indexPaths))") {
      $0.reloadedRows += indexPaths.map { TableUpdates.RowChange(old: $0, new: $0) }
    }
  }

  /// Moves a row.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
    change("moveRow \(indexPath.text)>\(newIndexPath.text)") {
      $0.movedRows.append(TableUpdates.RowChange(old: indexPath, new: newIndexPath))
    }
  }

  /// Simulates that the user drags a row. As in a table view, the row is then at the new index path before the program
  /// changes its objects.
  public func drag(from old: IndexPath, to new: IndexPath) {
    guard let row = row(at: old), new.count == 2, sections.indices.contains(new.section) else {
      return fail("there is no row to drag from \(old.text) to \(new.text)")
    }
    // The row leaves its section before it is inserted.
    let last = sections[new.section].rows.count - (old.section == new.section ? 1 : 0)
    guard new.row >= 0, new.row <= last else {
      return fail("a row cannot be dragged to \(new.text)")
    }
    sections[old.section].rows.remove(at: old.row)
    sections[new.section].rows.insert(row, at: new.row)
  }
}
