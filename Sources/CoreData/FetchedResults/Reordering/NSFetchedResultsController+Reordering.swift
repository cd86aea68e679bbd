extension NSFetchedResultsController {
  /// Puts a row elsewhere, as the user dragged it, by rewriting the fewest values of the attribute that the
  /// rows are ordered by.
  ///
  /// ```swift
  /// func tableView(_ view: TableView, moveRowAt old: IndexPath, to new: IndexPath) throws {
  ///   try controller.moveObject(from: old, to: new, shownBy: view)
  /// }
  /// ```
  ///
  /// The attribute is the last sort descriptor's that is a stored number of the entity's own: `displayOrder`,
  /// say. With sections the first descriptor groups the rows and does not count. Where numbers fit between
  /// the new neighbours, one object changes: integers and floating numbers get one in the middle, or the next
  /// one at an end. Else as few neighbours as can be are numbered anew with it, on the side where that is
  /// less; what is rewritten differs from its neighbours. The least and greatest value that the model asks
  /// for are kept. Objects that had no value get one where they have to.
  ///
  /// Between sections, the object takes over the section's attribute, or the object of the to-one
  /// relationship that the section's key path begins with, from a row of the new section.
  ///
  /// What was changed before is processed and told first; then the move is one change set of its own. It is
  /// not saved. O(log n) for each row that is looked at, about as many as are rewritten.
  ///
  /// - Parameters:
  ///   - indexPath: the row's place.
  ///   - newIndexPath: its place when it has moved, as a table view's `moveRowAt:to:` says it.
  ///   - view: who shows the row there already: the delegate, the view of a ``TableUpdater``, or the token of
  ///     an observer. It is not told of the move; of whatever else may come of it, it is told in the form that
  ///     leads there from what it shows. All others hear of it.
  /// - Throws: `NSCoreDataError` where a place does not exist, or the rows cannot be reordered: no sort
  ///   descriptor of a number, a place that another sort descriptor decides about, a section key that cannot
  ///   be taken over, fewer numbers than rows, or a call while changes are told. Nothing has changed then.
  public func moveObject(
    from indexPath: IndexPath, to newIndexPath: IndexPath, shownBy view: AnyObject? = nil
  ) throws {
    if managedObjectContext.announcing.isNotifying {
      throw CoreDataError.badRequest(
        "rows cannot be moved while changes are told: the move is to be a change set of its own")
    }
    managedObjectContext.processPendingChanges()
    guard let results else {
      throw CoreDataError.badRequest("rows cannot be moved: performFetch was not called")
    }
    let reordering = try Reordering(results, from: indexPath, to: newIndexPath)
    guard let changes = try reordering.changes() else { return }
    if let view {
      shownMove = ShownMove(
        view: view, object: reordering.object, old: reordering.old, new: reordering.new,
        renumbered: Set(changes.numbers.map { ObjectIdentifier($0.object) }))
    }
    defer { shownMove = nil }
    if let (key, value) = changes.section { reordering.object.setValue(value, forKey: key) }
    for (object, number) in changes.numbers { object.setValue(number, forKey: changes.key) }
    managedObjectContext.processPendingChanges()
  }
}
