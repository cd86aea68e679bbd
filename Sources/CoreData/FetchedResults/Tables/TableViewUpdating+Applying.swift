extension TableViewUpdating {
  /// Applies a report to the view in one batch, or in two if moved rows or sections must also be reloaded.
  ///
  /// Call it when the data source already has the new rows. The rows of deleted, inserted and reloaded sections are not
  /// passed to the view, because it inserts and deletes them with their sections. Reloads are passed with old index
  /// paths, as the rules of batch updates require. For an empty report, no method of the view is called.
  ///
  /// - Parameters:
  ///   - updates: The changes.
  ///   - animation: The animation for the changes.
  ///   - moves: How to apply moves of rows. With `deletionsAndInsertions`, sections are deleted and inserted too.
  public func apply(
    _ updates: TableUpdates, with animation: RowAnimation,
    moves: TableRowMoves = .deletionsAndInsertions
  ) {
    if updates.isEmpty { return }
    let (batch, later) = updates.batches(moves)
    perform(batch, with: animation)
    if !later.isEmpty { perform(later, with: animation) }
  }

  private func perform(_ batch: TableUpdates, with animation: RowAnimation) {
    func each<Place>(_ places: [Place], _ call: ([Place]) -> Void) {
      if !places.isEmpty { call(places) }
    }
    beginUpdates()
    each(batch.reloadedSections.map(\.old)) { reloadSections(IndexSet($0), with: animation) }
    each(batch.deletedSections) { deleteSections(IndexSet($0), with: animation) }
    each(batch.insertedSections) { insertSections(IndexSet($0), with: animation) }
    for move in batch.movedSections { moveSection(move.old, toSection: move.new) }
    each(batch.reloadedRows.map(\.old)) { reloadRows(at: $0, with: animation) }
    each(batch.deletedRows) { deleteRows(at: $0, with: animation) }
    each(batch.insertedRows) { insertRows(at: $0, with: animation) }
    for move in batch.movedRows { moveRow(at: move.old, to: move.new) }
    endUpdates()
  }
}

extension TableViewUpdating where RowAnimation == TableRowAnimation {
  /// Applies a report to the view with an animation that the view chooses.
  public func apply(_ updates: TableUpdates) { apply(updates, with: .automatic) }
}

extension TableUpdates {
  /// Returns the updates as a batch update requires them: no section or row occurs twice, and rows of deleted, inserted
  /// and reloaded sections are omitted.
  ///
  /// - Returns: The batch, and a later batch that reloads the moved rows, and the moved sections that must be reloaded.
  func batches(_ moves: TableRowMoves) -> (batch: TableUpdates, later: TableUpdates) {
    var (batch, later) = (TableUpdates(), TableUpdates())
    batch.deletedSections = deletedSections
    batch.insertedSections = insertedSections
    switch moves {
    case .deletionsAndInsertions:
      batch.deletedSections += movedSections.map(\.old)
      batch.insertedSections += movedSections.map(\.new)
    case .movesThenReloads: batch.movedSections = movedSections
    }
    // The rows of these sections change together with them.
    var wholeOld = IndexSet(batch.deletedSections)
    var wholeNew = IndexSet(batch.insertedSections)
    var wholeLater = IndexSet()
    // A moved section that is deleted and inserted shows its current content without a reload.
    for section in reloadedSections where !wholeOld.contains(section.old) {
      if batch.movedSections.contains(section) {
        later.reloadedSections.append(SectionChange(old: section.new, new: section.new))
        wholeLater.insert(section.new)
      } else {
        batch.reloadedSections.append(section)
        wholeOld.insert(section.old)
        wholeNew.insert(section.new)
      }
    }
    batch.deletedRows = deletedRows.filter { !wholeOld.contains($0.section) }
    batch.insertedRows = insertedRows.filter { !wholeNew.contains($0.section) }
    for move in movedRows {
      let (leaves, arrives) = (
        !wholeOld.contains(move.old.section), !wholeNew.contains(move.new.section)
      )
      if moves == .movesThenReloads, leaves, arrives {
        batch.movedRows.append(move)
        if !wholeLater.contains(move.new.section) {
          later.reloadedRows.append(RowChange(old: move.new, new: move.new))
        }
      } else {
        if leaves { batch.deletedRows.append(move.old) }
        if arrives { batch.insertedRows.append(move.new) }
      }
    }
    batch.reloadedRows = reloadedRows.filter {
      !wholeOld.contains($0.old.section) && !wholeLater.contains($0.new.section)
    }
    // The index paths of moved rows were appended at the ends of these lists.
    batch.deletedRows.sort(by: >)
    batch.insertedRows.sort()
    return (batch, later)
  }
}
