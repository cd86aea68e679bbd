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

    init(_ row: SectionedChanges<NSManagedObjectID>.Row) {
      objectID = row.subject
      indexPath = row.path.indexPath
    }
  }

  /// A row that stays.
  public struct RowChange: Sendable, Equatable {
    /// The ID of its object.
    public let objectID: NSManagedObjectID
    /// Its old and its new place.
    public let indexPath, newIndexPath: IndexPath

    init(_ change: SectionedChanges<NSManagedObjectID>.Change) {
      objectID = change.subject
      indexPath = change.old.indexPath
      newIndexPath = change.new.indexPath
    }
  }

  let changes: SectionedChanges<NSManagedObjectID>

  init(_ changes: SectionedChanges<NSManagedObjectID>) { self.changes = changes }

  /// By old place, descending.
  public var deletedSections: [Section] { changes.deletedSections }
  /// By new place, ascending.
  public var insertedSections: [Section] { changes.insertedSections }
  /// By old place, descending. Each access makes the list, as for the other lists of rows: O(n) for n rows.
  public var deletedRows: [Row] { changes.deleted.map(Row.init) }
  /// By new place, ascending.
  public var insertedRows: [Row] { changes.inserted.map(Row.init) }
  /// By new place, ascending.
  public var movedRows: [RowChange] { changes.moved.map(RowChange.init) }
  /// By new place, ascending.
  public var updatedRows: [RowChange] { changes.updated.map(RowChange.init) }

  /// Whether nothing happened.
  public var isEmpty: Bool { changes.isEmpty }

  /// The rows whose values changed, or may have.
  var changedIDs: [NSManagedObjectID] { (changes.moved + changes.updated).map(\.subject) }
}

extension FetchedResultsReport {
  /// The same places in the form in which list views take them.
  public var tableUpdates: TableUpdates { TableUpdates(changes) }

  /// For each of the present sections, its place before; nil for one that is inserted.
  package func oldSections(count: Int) -> [Int?] {
    let map = PlaceMap(sections: changes)
    return (0..<count).map { map.section(before: $0) }
  }

  /// The rows of results without sections as a difference of their IDs.
  var difference: CollectionDifference<NSManagedObjectID> {
    typealias Change = CollectionDifference<NSManagedObjectID>.Change
    var steps: [Change] = []
    for row in changes.deleted {
      steps.append(.remove(offset: row.path.row, element: row.subject, associatedWith: nil))
    }
    for row in changes.inserted {
      steps.append(.insert(offset: row.path.row, element: row.subject, associatedWith: nil))
    }
    for row in changes.moved + changes.updated {
      let (old, new) = (row.old.row, row.new.row)
      steps.append(.remove(offset: old, element: row.subject, associatedWith: new))
      steps.append(.insert(offset: new, element: row.subject, associatedWith: old))
    }
    guard let difference = CollectionDifference(steps) else {
      stopProgram("a report names a row twice: \(self)")
    }
    return difference
  }
}
