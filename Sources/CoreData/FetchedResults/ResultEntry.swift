/// A row of a live result: its ID, and what is known of it besides its place.
struct ResultEntry {
  let layout: EntityLayout
  let origin: StoreOrigin
  let key: Int64
  /// The number of the section's name.
  let section: Int
  /// The version of the stored row that was seen last; 0 for none.
  let version: Int32
  /// The object, when the result keeps its objects in use.
  let object: NSManagedObject?

  var id: NSManagedObjectID { NSManagedObjectID(layout: layout, key: key, origin: origin) }
  var rowKey: RowKey { RowKey(layout, key, origin) }
}

/// A row with what orders it, as it goes into a tree.
struct ResultRow {
  let entry: ResultEntry
  let sortKey: [UInt8]
}

/// A place in a live result, counted in sections and rows.
struct ResultPath: Hashable, Comparable, Sendable {
  var section: Int
  var row: Int

  static func < (left: ResultPath, right: ResultPath) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }

  var indexPath: IndexPath { IndexPath(indexes: [section, row]) }
}
