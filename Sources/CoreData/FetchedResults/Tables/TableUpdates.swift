/// What turns one list of sections and rows into another, in the form in which a list view takes it.
///
/// Old places are those before the change, new ones those after it; deletions are to be applied to the old
/// list from the last to the first, insertions to the new one from the first to the last, and what moves is
/// taken out with the deletions and put in with the insertions. Rows of a section that is deleted or
/// inserted are named as well; those of a section that moves go with it and are not. What is to be shown
/// anew has both places, because a list view's batch asks for the old one.
///
/// ``TableViewUpdating/apply(_:with:moves:)`` gives it to a list view. A place has a section and a row; in
/// the reports of a ``HierarchicalResultsController`` with more levels it has a number for each of them.
public struct TableUpdates: Sendable, Equatable {
  /// A section that stays.
  public struct SectionChange: Sendable, Equatable {
    /// Its old and its new place.
    public var old, new: Int

    /// Names a section by its old and its new place.
    public init(old: Int, new: Int) {
      self.old = old
      self.new = new
    }
  }

  /// A row that stays.
  public struct RowChange: Sendable, Equatable {
    /// Its old and its new place.
    public var old, new: IndexPath

    /// Names a row by its old and its new place.
    public init(old: IndexPath, new: IndexPath) {
      self.old = old
      self.new = new
    }
  }

  /// Old places, descending.
  public var deletedSections: [Int] = []
  /// New places, ascending.
  public var insertedSections: [Int] = []
  /// By new place, ascending: sections that are elsewhere among those that stay.
  public var movedSections: [SectionChange] = []
  /// Old places, descending.
  public var deletedRows: [IndexPath] = []
  /// New places, ascending.
  public var insertedRows: [IndexPath] = []
  /// By new place, ascending: rows that are in another section, or elsewhere among the rows of their
  /// section that stay. A move may have changed what the row shows.
  public var movedRows: [RowChange] = []
  /// By new place, ascending: rows that stay where they are and are to be shown anew.
  public var reloadedRows: [RowChange] = []
  /// By new place, ascending: sections that stay and are to be shown anew.
  public var reloadedSections: [SectionChange] = []

  /// Nothing to do.
  public init() {}

  /// Whether there is nothing to do.
  public var isEmpty: Bool { self == TableUpdates() }
}

extension TableUpdates {
  /// What changes of live results are.
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
  // What results with more levels note: a place with one number is a section's.

  mutating func noteDeletion(at path: IndexPath) {
    if path.count == 1 { deletedSections.append(path[0]) } else { deletedRows.append(path) }
  }

  mutating func noteInsertion(at path: IndexPath) {
    if path.count == 1 { insertedSections.append(path[0]) } else { insertedRows.append(path) }
  }

  mutating func noteMove(from old: IndexPath, to new: IndexPath) {
    if new.count == 1 {
      movedSections.append(SectionChange(old: old[0], new: new[0]))
    } else {
      movedRows.append(RowChange(old: old, new: new))
    }
  }

  mutating func noteReload(of old: IndexPath, at new: IndexPath) {
    if new.count == 1 {
      reloadedSections.append(SectionChange(old: old[0], new: new[0]))
    } else {
      reloadedRows.append(RowChange(old: old, new: new))
    }
  }

  /// Puts everything into the order that is promised.
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
