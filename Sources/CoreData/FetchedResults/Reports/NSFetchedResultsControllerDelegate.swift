/// What happened to a row or section of a fetched results controller.
public enum NSFetchedResultsChangeType: UInt, Sendable {
  /// It is new.
  case insert = 1
  /// It is gone.
  case delete = 2
  /// The row is in another place; its values changed too.
  case move = 3
  /// The row's values changed, its place did not.
  case update = 4
}

/// A section of a fetched results controller.
public protocol NSFetchedResultsSectionInfo {
  /// The section's name: the value of the section key; "" for none.
  var name: String { get }
  /// The text for an index beside the table: the capitalised first letter of the name.
  var indexTitle: String? { get }
  /// How many rows the section has.
  var numberOfObjects: Int { get }
  /// The objects of the rows; with a batch size, asking for all of them reads all of them.
  var objects: [Any]? { get }
}

/// Is told how the results of a fetched results controller change, on the context's queue.
///
/// A delegate implements the form that it wants; the others cost nothing. One with
/// `controller(_:didChangeContentWith:)` for a snapshot is told of changes by that method alone. Else, where
/// the controller has no section key path, one with `controller(_:didChangeContentWith:)` for a difference
/// is told by that one alone. All others are told of each section and row.
///
/// All methods have a default that does nothing. The calls for sections and rows come in this order:
/// `controllerWillChangeContent`; sections deleted (by old index, descending) and inserted (by new
/// index, ascending); rows deleted (by old path, descending), inserted, moved and updated (by new
/// path, ascending); `controllerDidChangeContent`. Nothing is called when nothing changed.
///
/// An `indexPath` is a place before the change, a `newIndexPath` one after it. Deletions applied to
/// the old rows and insertions to the new ones always give the new rows. What the delegate changes in the
/// context meanwhile is told afterwards.
///
/// Compared to Apple's Core Data: any delegate has the controller follow the context, also one that has
/// none of the methods. A method counts as implemented when it is there where the class states that it
/// conforms; a subclass can override it, and not add it.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// The results are about to change.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)
  /// A section is new or gone.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)
  /// A row is new, gone, in another place or changed.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)
  /// The results have changed.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)
  /// The results have changed: all sections by their names and all rows by their object IDs, rows that
  /// were changed or moved marked as reloaded. Without a section key path there is the section "".
  ///
  /// New objects have got their permanent IDs, so that the rows are the same before and after a save; one
  /// whose store cannot give it one yet is left out until it is saved. O(n) for n rows.
  ///
  /// Compared to Apple's Core Data: there unsaved objects are in the snapshot by their temporary IDs,
  /// which no longer name them once they are saved.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)
  /// The results have changed, and have no sections: what leads from the old IDs to the new ones.
  ///
  /// Rows that moved or whose values changed are removed and inserted, the one associated with the other.
  /// New objects have got their permanent IDs.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
  /// The index title of a section; nil asks the controller.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

extension NSFetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {}
  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) { DelegateForms.noteMissing(.section, of: self) }
  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { DelegateForms.noteMissing(.row, of: self) }
  /// Does nothing.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {}
  /// Has the changes told in another form.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) { DelegateForms.noteMissing(.snapshot, of: self) }
  /// Has the changes told in another form.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { DelegateForms.noteMissing(.difference, of: self) }
  /// Leaves the title to the controller.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }
}
