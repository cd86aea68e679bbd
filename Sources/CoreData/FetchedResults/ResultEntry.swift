/// A row of live results: its ID, its section and its version.
struct ResultEntry {
  let layout: EntityLayout
  let origin: StoreOrigin
  let key: Int64
  /// The number of the section's name in `SectionNames`.
  let section: Int
  /// The version of the row when it was last read from its store; 0 for a row that is not stored.
  let version: Int32
  /// The object, if the results keep objects in memory.
  let object: NSManagedObject?

  var id: NSManagedObjectID { NSManagedObjectID(layout: layout, key: key, origin: origin) }
  var rowKey: RowKey { RowKey(layout, key, origin) }
}

/// A row and its sort key, as they are inserted into a tree.
struct ResultRow {
  let entry: ResultEntry
  let sortKey: [UInt8]
}

/// A position in live results: a section and a row in it.
struct ResultPath: Hashable, Comparable, Sendable {
  var section: Int
  var row: Int

  static func < (left: ResultPath, right: ResultPath) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }

  var indexPath: IndexPath { IndexPath(indexes: [section, row]) }
}
