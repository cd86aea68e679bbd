import Foundation

/// What one set of changes does to a live result, in the order in which it is reported.
///
/// Applied to a table by the rules of a batch update (deletions against the old rows, insertions
/// against the new ones) it always gives the new rows.
struct ResultsDelta {
  struct Section {
    let index: Int
    let name: String
  }

  struct Row {
    let subject: RowSubject
    let path: ResultPath
  }

  struct Change {
    let subject: RowSubject
    let old: ResultPath
    let new: ResultPath
  }

  /// By old index, descending.
  var deletedSections: [Section] = []
  /// By new index, ascending.
  var insertedSections: [Section] = []
  /// By old path, descending.
  var deleted: [Row] = []
  /// By new path, ascending.
  var inserted: [Row] = []
  /// By new path, ascending.
  var moved: [Change] = []
  var updated: [Change] = []

  var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty
      && moved.isEmpty && updated.isEmpty
  }

  mutating func sort() {
    deletedSections.sort { $0.index > $1.index }
    insertedSections.sort { $0.index < $1.index }
    deleted.sort { $0.path > $1.path }
    inserted.sort { $0.path < $1.path }
    moved.sort { $0.new < $1.new }
    updated.sort { $0.new < $1.new }
  }
}

/// The object of a reported row. It is made when it is asked for, unless somebody had it: so a report of
/// very many rows holds none.
struct RowSubject {
  private let known: NSManagedObject?
  private let entry: ResultEntry

  init(_ known: NSManagedObject?, _ entry: ResultEntry) {
    self.known = known
    self.entry = entry
  }

  func object(in results: LiveResults) -> NSManagedObject {
    known ?? results.object(withNeighbours: entry)
  }

  /// The ID of the row; no object is made for it.
  var objectID: NSManagedObjectID { known?.objectID ?? entry.id }
}

extension LiveResults {
  /// A row to be reported, with its object if somebody has it. Where it has no permanent ID, its object is taken
  /// along: when it is told, it may have one.
  func subject(of entry: ResultEntry, _ known: NSManagedObject? = nil) -> RowSubject {
    if let object = known ?? entry.object { return RowSubject(object, entry) }
    return RowSubject(
      entry.key < 0 ? context.registry[entry.layout, entry.key, entry.origin] : nil, entry)
  }
}
