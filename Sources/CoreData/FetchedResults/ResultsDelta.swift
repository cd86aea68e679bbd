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
    let object: NSManagedObject
    let path: ResultPath
  }

  struct Change {
    let object: NSManagedObject
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
