/// The changes of a fetched results controller's rows, by object ID, index path and section name. Any task may use it.
///
/// Old index paths refer to the rows before the change, new index paths to the rows after it. Applying a report to a
/// table with the old rows always results in the new rows. The rules are those of a table view's batch update:
/// deletions refer to the old rows and are applied from the last to the first, insertions refer to the new rows and are
/// applied from the first to the last, and a moved row is removed with the deletions and added with the insertions.
///
/// * A row is reported once or not at all. Rows that only shift because of other changes are not reported.
/// * A moved row is in another section, or in another position relative to the remaining rows of its section. The
///   number of moves is minimal. The values of a moved row may have changed too.
/// * An updated row stays in its position. Its values changed, or a value of a related object by which the rows are
///   sorted.
/// * The rows of deleted and inserted sections are reported too.
///
/// New objects are reported with permanent IDs, unless their store cannot assign IDs before a save.
///
/// ```swift
/// let observation = controller.addObserver { report in
///   for row in report.deletedRows { print("delete", row.indexPath) }
///   for row in report.insertedRows { print("insert", row.indexPath, row.objectID) }
///   for row in report.movedRows { print("move", row.indexPath, "to", row.newIndexPath) }
///   for row in report.updatedRows { print("update", row.newIndexPath) }
/// }
/// ```
public struct FetchedResultsReport: Sendable, Equatable {
  /// A deleted or inserted section.
  public struct Section: Sendable, Equatable {
    /// The old index of a deleted section, or the new index of an inserted section.
    public let index: Int
    /// The name of the section.
    public let name: String
  }

  /// A deleted or inserted row.
  public struct Row: Sendable, Equatable {
    /// The ID of its object.
    public let objectID: NSManagedObjectID
    /// The old index path of a deleted row, or the new index path of an inserted row.
    public let indexPath: IndexPath

    init(_ row: SectionedChanges<NSManagedObjectID>.Row) {
      objectID = row.subject
      indexPath = row.path.indexPath
    }
  }

  /// A moved or updated row.
  public struct RowChange: Sendable, Equatable {
    /// The ID of its object.
    public let objectID: NSManagedObjectID
    /// The old and the new index path.
    public let indexPath, newIndexPath: IndexPath

    init(_ change: SectionedChanges<NSManagedObjectID>.Change) {
      objectID = change.subject
      indexPath = change.old.indexPath
      newIndexPath = change.new.indexPath
    }
  }

  let changes: SectionedChanges<NSManagedObjectID>

  init(_ changes: SectionedChanges<NSManagedObjectID>) { self.changes = changes }

  /// The deleted sections by old index, descending.
  ///
  /// ```swift
  /// let observation = controller.addObserver { report in
  ///   for section in report.deletedSections { print(section.name, "was section", section.index) }
  /// }
  /// ```
  public var deletedSections: [Section] { changes.deletedSections }
  /// The inserted sections by new index, ascending.
  public var insertedSections: [Section] { changes.insertedSections }
  /// The deleted rows by old index path, descending. Each access creates the list, as for the other lists of rows:
  /// O(n).
  public var deletedRows: [Row] { changes.deleted.map(Row.init) }
  /// The inserted rows by new index path, ascending.
  public var insertedRows: [Row] { changes.inserted.map(Row.init) }
  /// The moved rows by new index path, ascending.
  ///
  /// ```swift
  /// let observation = controller.addObserver { report in
  ///   for row in report.movedRows where row.indexPath.section != row.newIndexPath.section {
  ///     print(row.objectID, "is in another team")
  ///   }
  /// }
  /// ```
  public var movedRows: [RowChange] { changes.moved.map(RowChange.init) }
  /// The updated rows by new index path, ascending.
  public var updatedRows: [RowChange] { changes.updated.map(RowChange.init) }

  /// Whether nothing changed.
  public var isEmpty: Bool { changes.isEmpty }

  /// The rows whose values changed, or may have changed.
  var changedIDs: [NSManagedObjectID] { (changes.moved + changes.updated).map(\.subject) }
}

extension FetchedResultsReport {
  /// The report in the form that list views use.
  public var tableUpdates: TableUpdates { TableUpdates(changes) }

  /// Returns the old index of each current section; nil for inserted sections.
  package func oldSections(count: Int) -> [Int?] {
    let map = PlaceMap(sections: changes)
    return (0..<count).map { map.section(before: $0) }
  }

  /// The report as a difference of IDs, for results without sections.
  var difference: CollectionDifference<NSManagedObjectID> {
    typealias Change = CollectionDifference<NSManagedObjectID>.Change
    var steps: [Change] = []
    for row in changes.deleted {
      steps.append(.remove(offset: row.path.row, element: row.subject, associatedWith: nil))
    }
    for row in changes.inserted {
      steps.append(.insert(offset: row.path.row, element: row.subject, associatedWith: nil))
    }
    // An update is also a removal and an insertion, because a collection difference has no other form for it.
    for row in changes.moved + changes.updated {
      let (old, new) = (row.old.row, row.new.row)
      steps.append(.remove(offset: old, element: row.subject, associatedWith: new))
      steps.append(.insert(offset: new, element: row.subject, associatedWith: old))
    }
    guard let difference = CollectionDifference(steps) else {
      stopProgram("defect: a report contains a row twice: \(self)")
    }
    return difference
  }
}
