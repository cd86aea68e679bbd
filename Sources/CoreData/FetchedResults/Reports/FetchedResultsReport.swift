public import Foundation

/// What one change, or several, did to the rows of a fetched results controller: IDs, places and section
/// names, which any task may have.
///
/// Old places are those before the change, new ones those after it. Applied to a table that held the old
/// rows, by the rules of a batch update (deletions against the old rows, from the last to the first;
/// insertions against the new ones, from the first to the last; what moves is taken out with the deletions
/// and put in with the insertions), a report always gives the new rows:
///
/// * a row is named once, or not at all: neighbours that only shift are not;
/// * a moved row is in another section, or elsewhere among the rows of its section that stay; the number of
///   moves is the least possible. Its values may have changed as well;
/// * an updated row's values changed, or those of one that it refers to, and it stays where it is;
/// * rows of sections that are deleted or inserted are named too.
///
/// New objects are named by the permanent IDs that they got for it. One whose store cannot give it an ID
/// before it is saved has a temporary one.
public struct FetchedResultsReport: Sendable, Equatable {
  /// A section that comes or goes.
  public struct Section: Sendable, Equatable {
    /// Its place: the old one of a deleted section, the new one of an inserted section.
    public let index: Int
    /// Its name.
    public let name: String
  }

  /// A row that comes or goes.
  public struct Row: Sendable, Equatable {
    /// The ID of its object.
    public let objectID: NSManagedObjectID
    /// Its place: the old one of a deleted row, the new one of an inserted row.
    public let indexPath: IndexPath
  }

  /// A row that stays.
  public struct RowChange: Sendable, Equatable {
    /// The ID of its object.
    public let objectID: NSManagedObjectID
    /// Its old and its new place.
    public let indexPath, newIndexPath: IndexPath
  }

  /// By old place, descending.
  public internal(set) var deletedSections: [Section] = []
  /// By new place, ascending.
  public internal(set) var insertedSections: [Section] = []
  /// By old place, descending.
  public internal(set) var deletedRows: [Row] = []
  /// By new place, ascending.
  public internal(set) var insertedRows: [Row] = []
  /// By new place, ascending.
  public internal(set) var movedRows: [RowChange] = []
  /// By new place, ascending.
  public internal(set) var updatedRows: [RowChange] = []

  init() {}

  /// Whether nothing happened.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deletedRows.isEmpty
      && insertedRows.isEmpty && movedRows.isEmpty && updatedRows.isEmpty
  }

  /// The rows whose values changed, or may have.
  var changedIDs: [NSManagedObjectID] { (movedRows + updatedRows).map(\.objectID) }
}

extension FetchedResultsReport {
  /// The same places in the form in which list views take them.
  public var tableUpdates: TableUpdates {
    var updates = TableUpdates()
    updates.deletedSections = deletedSections.map(\.index)
    updates.insertedSections = insertedSections.map(\.index)
    updates.deletedRows = deletedRows.map(\.indexPath)
    updates.insertedRows = insertedRows.map(\.indexPath)
    updates.movedRows = movedRows.map {
      TableUpdates.RowChange(old: $0.indexPath, new: $0.newIndexPath)
    }
    updates.reloadedRows = updatedRows.map {
      TableUpdates.RowChange(old: $0.indexPath, new: $0.newIndexPath)
    }
    return updates
  }

  /// The rows of results without sections as a difference of their IDs.
  var difference: CollectionDifference<NSManagedObjectID> {
    typealias Change = CollectionDifference<NSManagedObjectID>.Change
    var changes: [Change] = []
    for row in deletedRows {
      changes.append(
        .remove(offset: row.indexPath.row, element: row.objectID, associatedWith: nil))
    }
    for row in insertedRows {
      changes.append(
        .insert(offset: row.indexPath.row, element: row.objectID, associatedWith: nil))
    }
    for row in movedRows + updatedRows {
      let (old, new) = (row.indexPath.row, row.newIndexPath.row)
      changes.append(.remove(offset: old, element: row.objectID, associatedWith: new))
      changes.append(.insert(offset: new, element: row.objectID, associatedWith: old))
    }
    guard let difference = CollectionDifference(changes) else {
      stopProgram("a report names a row twice: \(self)")
    }
    return difference
  }
}
