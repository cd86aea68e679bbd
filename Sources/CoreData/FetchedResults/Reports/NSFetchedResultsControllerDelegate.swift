/// The kind of change to a row or section.
public enum NSFetchedResultsChangeType: UInt, Sendable {
  /// The row or section was inserted.
  case insert = 1
  /// The row or section was deleted.
  case delete = 2
  /// The row moved. Its values may have changed too.
  case move = 3
  /// The row's values changed, and it stays in its position.
  case update = 4
}

/// A section of a fetched results controller.
public protocol NSFetchedResultsSectionInfo {
  /// The name: the value of the section key as text, or "" if it is nil.
  var name: String { get }
  /// The title for a section index: by default the capitalized first letter of the name, or nil if the name is empty.
  var indexTitle: String? { get }
  /// The number of rows.
  var numberOfObjects: Int { get }
  /// The objects of the rows, or their IDs if the request returns IDs; never nil for a section of a controller. With a
  /// batch size, this creates an object for every row of the section, unless the request returns IDs.
  var objects: [Any]? { get }
}

/// Receives the changes of a fetched results controller, on the context's queue.
///
/// A delegate implements the form of notification that it needs; the other forms then cost nothing. If it implements
/// `controller(_:didChangeContentWith:)` for snapshots, only this method is called. Otherwise, if the controller has
/// no section key path and the delegate implements `controller(_:didChangeContentWith:)` for differences, only that
/// method is called. Any other delegate is notified of each section and row.
///
/// All methods have default implementations, which do nothing or return nil. The calls for sections and rows come in
/// this order: `controllerWillChangeContent`; deleted sections (by old index, descending); inserted sections (by new
/// index, ascending); deleted rows (by old path, descending); inserted, moved and updated rows (by new path,
/// ascending); `controllerDidChangeContent`. None of these calls is made if nothing changed.
///
/// An `indexPath` refers to the rows before the change, a `newIndexPath` to the rows after it. Applying deletions to
/// the old rows and then insertions always results in the new rows. Changes that the delegate makes in the context
/// are reported afterwards.
///
/// Compared to Apple's Core Data: the controller observes the context for any delegate, even for one that implements
/// none of the methods. A method counts as implemented if the class that declares the conformance implements it; a
/// subclass can override it, but cannot add it.
///
/// ```swift
/// final class RowPrinter: NSFetchedResultsControllerDelegate {
///   func controller(
///     _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
///     at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
///   ) {
///     if type == .insert, let newIndexPath { print("inserted at", newIndexPath) }
///   }
/// }
/// ```
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// Called before the calls for sections and rows. The controller already has the new results.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)
  /// Called for each section that was inserted or deleted.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)
  /// Called for each row that was inserted, deleted, moved or updated.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)
  /// Called after the calls for sections and rows.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)
  /// Called after the results changed, and after each fetch. The snapshot contains all section names and object IDs.
  /// Changed and moved rows are marked as reloaded. Without a section key path there is a single section "".
  ///
  /// New objects have permanent IDs, so that rows have the same identifiers before and after a save. If a store
  /// cannot assign an ID yet, the object is left out until it is saved. O(n) for n rows.
  ///
  /// Compared to Apple's Core Data: there, snapshots contain temporary IDs of unsaved objects, which no longer
  /// identify them after a save.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)
  /// Called after the results changed, if the controller has no section key path. The difference leads from the old IDs
  /// to the new ones.
  ///
  /// Moved and changed rows are reported as a removal and an associated insertion. New objects have permanent IDs,
  /// unless their store cannot assign IDs before a save.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
  /// Returns the index title of a section, or nil to use the controller's title.
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
  ) { DelegateForms.recordMissing(.section, of: self) }
  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { DelegateForms.recordMissing(.row, of: self) }
  /// Does nothing.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {}
  /// Does nothing. The controller then reports changes in another form.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) { DelegateForms.recordMissing(.snapshot, of: self) }
  /// Does nothing. The controller then reports changes in another form.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { DelegateForms.recordMissing(.difference, of: self) }
  /// Returns nil, so that the controller's title is used.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }
}
