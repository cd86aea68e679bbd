extension TableViewUpdating {
  /// Changes the view as a report says, in one batch (two, where rows or sections are moved and reloaded).
  ///
  /// Called when the data source has the new rows already. Rows of sections that are deleted, inserted or
  /// reloaded are not named to the view, since they go and come with these. Reloads are given by old place,
  /// as the rules of a batch ask. Nothing is called for an empty report.
  ///
  /// - Parameters:
  ///   - updates: what changed.
  ///   - animation: how it is shown.
  ///   - moves: how rows that moved are given. With `deletionsAndInsertions` sections that moved are deleted
  ///     and inserted, too.
  public func apply(
    _ updates: TableUpdates, with animation: RowAnimation,
    moves: TableRowMoves = .deletionsAndInsertions
  ) {
    if updates.isEmpty { return }
    let batch = TableBatch(updates, moves: moves)
    beginUpdates()
    if !batch.reloadedSections.isEmpty {
      reloadSections(batch.reloadedSections, with: animation)
    }
    if !batch.deletedSections.isEmpty { deleteSections(batch.deletedSections, with: animation) }
    if !batch.insertedSections.isEmpty { insertSections(batch.insertedSections, with: animation) }
    for move in batch.movedSections { moveSection(move.old, toSection: move.new) }
    if !batch.reloadedRows.isEmpty { reloadRows(at: batch.reloadedRows, with: animation) }
    if !batch.deletedRows.isEmpty { deleteRows(at: batch.deletedRows, with: animation) }
    if !batch.insertedRows.isEmpty { insertRows(at: batch.insertedRows, with: animation) }
    for move in batch.movedRows { moveRow(at: move.old, to: move.new) }
    endUpdates()
    if batch.laterSections.isEmpty, batch.laterRows.isEmpty { return }
    beginUpdates()
    if !batch.laterSections.isEmpty { reloadSections(batch.laterSections, with: animation) }
    if !batch.laterRows.isEmpty { reloadRows(at: batch.laterRows, with: animation) }
    endUpdates()
  }
}

extension TableViewUpdating where RowAnimation == TableRowAnimation {
  /// Changes the view as a report says, with an animation that the view chooses.
  public func apply(_ updates: TableUpdates) { apply(updates, with: .automatic) }
}

/// A report as a list view's batch takes it: nothing is named twice, and no row of a section that is named
/// as a whole.
struct TableBatch {
  private(set) var deletedSections = IndexSet()
  private(set) var insertedSections = IndexSet()
  private(set) var movedSections: [TableUpdates.SectionChange] = []
  /// Old places.
  private(set) var reloadedSections = IndexSet()
  private(set) var deletedRows: [IndexPath] = []
  private(set) var insertedRows: [IndexPath] = []
  private(set) var movedRows: [TableUpdates.RowChange] = []
  /// Old places.
  private(set) var reloadedRows: [IndexPath] = []
  /// What is reloaded when the batch has ended: sections and rows that moved in it, by new place.
  private(set) var laterSections = IndexSet()
  private(set) var laterRows: [IndexPath] = []

  init(_ updates: TableUpdates, moves: TableRowMoves) {
    deletedSections = IndexSet(updates.deletedSections)
    insertedSections = IndexSet(updates.insertedSections)
    switch moves {
    case .deletionsAndInsertions:
      for move in updates.movedSections {
        deletedSections.insert(move.old)
        insertedSections.insert(move.new)
      }
    case .movesThenReloads: movedSections = updates.movedSections
    }
    // Their rows come and go with them.
    var wholeOld = deletedSections
    var wholeNew = insertedSections
    for section in updates.reloadedSections where !deletedSections.contains(section.old) {
      if movedSections.contains(section) {
        laterSections.insert(section.new)
      } else {
        reloadedSections.insert(section.old)
        wholeOld.insert(section.old)
        wholeNew.insert(section.new)
      }
    }
    deletedRows = updates.deletedRows.filter { !wholeOld.contains($0.section) }
    insertedRows = updates.insertedRows.filter { !wholeNew.contains($0.section) }
    for move in updates.movedRows {
      let (leaves, arrives) = (
        !wholeOld.contains(move.old.section), !wholeNew.contains(move.new.section)
      )
      if moves == .movesThenReloads, leaves, arrives {
        movedRows.append(move)
        if !laterSections.contains(move.new.section) { laterRows.append(move.new) }
      } else {
        if leaves { deletedRows.append(move.old) }
        if arrives { insertedRows.append(move.new) }
      }
    }
    for row in updates.reloadedRows
    where !wholeOld.contains(row.old.section) && !laterSections.contains(row.new.section) {
      reloadedRows.append(row.old)
    }
    deletedRows.sort(by: >)
    insertedRows.sort()
  }
}
