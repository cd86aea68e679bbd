public import Foundation

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
/// All methods have a default that does nothing. Calls come in this order:
/// `controllerWillChangeContent`; sections deleted (by old index, descending) and inserted (by new
/// index, ascending); rows deleted (by old path, descending), inserted, moved and updated (by new
/// path, ascending); `controllerDidChangeContent`. Nothing is called when nothing changed.
///
/// An `indexPath` is a place before the change, a `newIndexPath` one after it. Deletions applied to
/// the old rows and insertions to the new ones always give the new rows.
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
  /// The index title of a section; nil asks the controller.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

extension NSFetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType) {}
  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?) {}
  /// Does nothing.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
  /// Leaves the title to the controller.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }
}

extension IndexPath {
  /// A place in a table.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  /// A place in a collection.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
  /// The section of a place in a table.
  public var section: Int { self[0] }
  /// The row of a place in a table.
  public var row: Int { self[1] }
  /// The item of a place in a collection.
  public var item: Int { self[1] }
}
