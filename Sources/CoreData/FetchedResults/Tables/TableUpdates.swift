/// The changes that turn one list of sections and rows into another, in the form that list views use.
///
/// Old index paths refer to the list before the change, new index paths to the list after it. Apply deletions to the
/// old list from the last to the first, and insertions to the new list from the first to the last; remove moved
/// sections and rows with the deletions and add them with the insertions. The rows of deleted and inserted sections are
/// included. The rows of a moved section move with it and are not included. Reloads contain both index paths, because a
/// list view's batch update requires the old one.
///
/// ``TableViewUpdating/apply(_:with:moves:)`` applies the updates to a list view. An index path has two
/// elements, a section and a row. In the reports of a ``HierarchicalResultsController`` with more levels it has one
/// element for each level.
///
/// ```swift
/// var updates = TableUpdates()
/// updates.insertedRows = [IndexPath(row: 0, section: 0)]
/// updates.reloadedRows = [TableUpdates.RowChange(old: [0, 0], new: [0, 1])]
/// tableView.apply(updates)
/// ```
public struct TableUpdates: Sendable, Equatable {
  /// A section that is in both lists.
  public struct SectionChange: Sendable, Equatable {
    /// The old and the new index.
    public var old, new: Int

    /// Creates a change from the old and the new index of a section.
    public init(old: Int, new: Int) {
      self.old = old
      self.new = new
    }
  }

  /// A row that is in both lists.
  public struct RowChange: Sendable, Equatable {
    /// The old and the new index path.
    public var old, new: IndexPath

    /// Creates a change from the old and the new index path of a row.
    public init(old: IndexPath, new: IndexPath) {
      self.old = old
      self.new = new
    }
  }

  /// The old indexes of the deleted sections, descending.
  public var deletedSections: [Int] = []
  /// The new indexes of the inserted sections, ascending.
  public var insertedSections: [Int] = []
  /// The sections whose position relative to the remaining sections changed, by new index, ascending.
  ///
  /// ```swift
  /// var old = NSDiffableDataSourceSnapshot<String, Int>()
  /// old.appendSections(["A", "B", "C"])
  /// var new = old
  /// new.moveSection("C", beforeSection: "A")
  /// print(new.difference(from: old).movedSections)  // the section with the old index 2 and the new index 0
  /// ```
  public var movedSections: [SectionChange] = []
  /// The old index paths of the deleted rows, descending.
  public var deletedRows: [IndexPath] = []
  /// The new index paths of the inserted rows, ascending.
  public var insertedRows: [IndexPath] = []
  /// The rows that are in another section, or whose position relative to the remaining rows of their section changed,
  /// by new index path, ascending. The content of a moved row may have changed too.
  public var movedRows: [RowChange] = []
  /// The rows that stay in their positions and must be reloaded, by new index path, ascending.
  public var reloadedRows: [RowChange] = []
  /// The remaining sections that must be reloaded, by new index, ascending.
  public var reloadedSections: [SectionChange] = []

  /// Creates empty updates.
  public init() {}

  /// Whether nothing changed.
  public var isEmpty: Bool { self == TableUpdates() }
}

extension TableUpdates {
  /// Creates updates from changes of live results.
  init<Subject>(_ changes: SectionedChanges<Subject>) {
    deletedSections = changes.deletedSections.map(\.index)
    insertedSections = changes.insertedSections.map(\.index)
    deletedRows = changes.deleted.map(\.path.indexPath)
    insertedRows = changes.inserted.map(\.path.indexPath)
    movedRows = changes.moved.map { RowChange(old: $0.old.indexPath, new: $0.new.indexPath) }
    reloadedRows = changes.updated.map { RowChange(old: $0.old.indexPath, new: $0.new.indexPath) }
  }
}

extension TableUpdates {
  // For results with more than two levels: an index path with one element is a section.

  mutating func recordDeletion(at path: IndexPath) {
    if path.count == 1 { deletedSections.append(path[0]) } else { deletedRows.append(path) }
  }

  mutating func recordInsertion(at path: IndexPath) {
    if path.count == 1 { insertedSections.append(path[0]) } else { insertedRows.append(path) }
  }

  mutating func recordMove(from old: IndexPath, to new: IndexPath) {
    if new.count == 1 {
      movedSections.append(SectionChange(old: old[0], new: new[0]))
    } else {
      movedRows.append(RowChange(old: old, new: new))
    }
  }

  mutating func recordReload(of old: IndexPath, at new: IndexPath) {
    if new.count == 1 {
      reloadedSections.append(SectionChange(old: old[0], new: new[0]))
    } else {
      reloadedRows.append(RowChange(old: old, new: new))
    }
  }

  /// Sorts all lists as documented.
  mutating func sort() {
    deletedSections.sort(by: >)
    insertedSections.sort()
    movedSections.sort { $0.new < $1.new }
    deletedRows.sort(by: >)
    insertedRows.sort()
    movedRows.sort { $0.new < $1.new }
    reloadedRows.sort { $0.new < $1.new }
    reloadedSections.sort { $0.new < $1.new }
  }
}
