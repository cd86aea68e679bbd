import Foundation

/// Everything one save writes to one store, in the store's own terms.
struct ChangeSet {
  /// A new row, or new values of a row.
  struct Row {
    let layout: EntityLayout
    let key: Int64
    /// The version that the row must still have; 0 for a new row.
    let version: Int32
    /// Slot numbers with the values to write; for a new row, all of them that are not null.
    let values: [(slot: Int, value: StoredValue)]
  }

  /// A row to remove, or to look at.
  struct Deletion {
    let layout: EntityLayout
    let key: Int64
    let version: Int32
    /// Files of externally stored values that go with the row are found by the store.
  }

  /// What changed in a to-many relationship that rows of the destination do not say: membership
  /// where the inverse is to-many or missing, and order.
  struct Link {
    let layout: EntityLayout
    let slot: Int
    let key: Int64
    let added: [Int64]
    let removed: [Int64]
    /// The members in their order, for an ordered relationship; nil when order is not kept.
    let order: [Int64]?
  }

  var inserted: [Row] = []
  var updated: [Row] = []
  var deleted: [Deletion] = []
  /// Rows that must have the version that they were read with, though they are not written.
  var checked: [Deletion] = []
  var links: [Link] = []

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty }
}

/// A row that another save changed or removed since it was read.
struct RowConflict {
  let layout: EntityLayout
  let key: Int64
  /// The version this save expected.
  let expectedVersion: Int32
  /// The version in the store; 0 when the row is gone.
  let storedVersion: Int32
}

/// What a store answers to a change set.
enum SaveOutcome {
  /// Written; the new version of each inserted and updated row, in the change set's order.
  case saved(insertedVersions: [Int32], updatedVersions: [Int32])
  /// Nothing was written.
  case conflicts([RowConflict])
}
