extension NSFetchedResultsController {
  /// Moves a row that the user dragged, by rewriting as few values as possible of the attribute that orders the rows.
  ///
  /// ```swift
  /// func tableView(_ view: TableView, moveRowAt old: IndexPath, to new: IndexPath) throws {
  ///   try controller.moveObject(from: old, to: new, shownBy: view)
  /// }
  /// ```
  ///
  /// The attribute is the one of the last sort descriptor that sorts by a stored number of the entity itself, for
  /// example `displayOrder`. With sections, the first sort descriptor groups the rows and is not considered. If a
  /// number is available between the new neighbors, only one object changes: it receives the number in the middle, or
  /// the next number at an end. Otherwise as few neighbors as possible are renumbered too. All new numbers respect the
  /// minimum and maximum value of the attribute in the model. Objects without a value receive one if necessary.
  ///
  /// A move to another section also changes the object's section attribute, or the to-one relationship that the section
  /// key path begins with. The value is copied from a row of the new section.
  ///
  /// Earlier changes are processed and reported first. The move itself is one change set, which is not saved. O(log n)
  /// for each examined row; about as many rows are examined as rewritten.
  ///
  /// - Parameters:
  ///   - indexPath: The row's index path.
  ///   - newIndexPath: Its index path after the move, as in a table view's `moveRowAt:to:`.
  ///   - view: The delegate, the view of a ``TableUpdater`` or the token of an observer that already shows the move.
  ///     The move is not reported to it. If other rows change too, it receives a report that leads from the rows it
  ///     shows to the new ones. All other recipients receive the whole report.
  /// - Throws: `NSCoreDataError` if an index path does not exist, if nothing was fetched, or if the rows cannot be
  ///   reordered: no sort descriptor sorts by a number, another sort descriptor determines the position, the section
  ///   key cannot be changed, there are fewer numbers than rows, or the method is called while changes are being
  ///   reported; and the errors of the store. No value is changed in these cases.
  public func moveObject(
    from indexPath: IndexPath, to newIndexPath: IndexPath, shownBy view: AnyObject? = nil
  ) throws {
    // The context would process the move only after this notification, when `shownMove` is already nil again.
    if managedObjectContext.announcing.isNotifying {
      throw CoreDataError.badRequest(
        "cannot move a row while changes are being reported: call moveObject(from:to:) afterwards")
    }
    managedObjectContext.processPendingChanges()
    guard let results else {
      throw CoreDataError.badRequest("cannot move a row: performFetch was not called")
    }
    let reordering = try Reordering(results, from: indexPath, to: newIndexPath)
    guard let changes = try reordering.changes() else { return }
    if let view {
      shownMove = ShownMove(
        view: view, object: reordering.object, old: reordering.old, new: reordering.new,
        renumbered: Set(changes.numbers.map { ObjectIdentifier($0.object) }))
    }
    // If the new values change no row of the results, no report uses it.
    defer { shownMove = nil }
    if let (key, value) = changes.section { reordering.object.setValue(value, forKey: key) }
    for (object, number) in changes.numbers { object.setValue(number, forKey: changes.key) }
    managedObjectContext.processPendingChanges()
  }
}
