import StoreEngine
import Synchronization

/// The properties of an open store's history.
final class StoreHistory: Sendable {
  /// Whether changes are recorded. If not, the history can only be read.
  let isRecorded: Bool
  /// The number of columns for values of deleted objects.
  let tombstoneCount: Int
  /// The columns of the tables of changes and transactions.
  private let changeColumns, transactionColumns: Set<String>
  /// Whether names, such as those of authors, are in a separate table. The first Apple systems with history wrote them
  /// into the row of each transaction.
  private let keepsStrings: Bool
  private let columns: [ChangedColumns]
  /// The slots of preserved attributes by entity index.
  let tombstones: [[Int]]
  private let own = Mutex(IndexSet())

  private init(
    _ schema: StoreSchema, isRecorded: Bool, changeColumns: Set<String>,
    transactionColumns: Set<String>, keepsStrings: Bool
  ) {
    self.isRecorded = isRecorded
    self.changeColumns = changeColumns
    self.transactionColumns = transactionColumns
    self.keepsStrings = keepsStrings
    tombstoneCount =
      (0..<changeColumns.count).prefix { changeColumns.contains("ZTOMBSTONE\($0)") }.count
    columns = schema.model.entities.map { ChangedColumns($0, schema) }
    tombstones = schema.model.entities.map { Self.preserved($0, schema) }
  }

  /// Returns the history of a store; nil if it has none, or if its tables lack a key, a transaction number or a time.
  ///
  /// - Parameter isRecorded: Whether the store is writable and records its history. If so, missing tables,
  ///   columns and indexes are created.
  static func find(
    on connection: SQLiteConnection, _ schema: StoreSchema, isRecorded: Bool
  ) throws -> StoreHistory? {
    if isRecorded {
      // All entities share the table, so the one with the most preserved attributes determines its
      // columns.
      let count = schema.model.entities.map { preserved($0, schema).count }.max() ?? 0
      // Usually nothing is missing, and then no lock is needed.
      if try !HistorySchema.isComplete(on: connection, tombstones: count) {
        try connection.transaction {
          try HistorySchema.complete(on: connection, tombstones: count)
        }
      }
    }
    let changes = try HistorySchema.columns(of: "ACHANGE", on: connection)
    let transactions = try HistorySchema.columns(of: "ATRANSACTION", on: connection)
    let strings = try HistorySchema.columns(of: "ATRANSACTIONSTRING", on: connection)
    guard changes.isSuperset(of: ["Z_PK", "ZTRANSACTIONID"]),
      transactions.isSuperset(of: ["Z_PK", "ZTIMESTAMP"])
    else { return nil }
    return StoreHistory(
      schema, isRecorded: isRecorded, changeColumns: changes, transactionColumns: transactions,
      keepsStrings: strings.isSuperset(of: ["Z_PK", "ZNAME"]))
  }

  // MARK: Columns that a store may lack

  /// Returns the SQL for a column of a change; NULL if the store lacks the column.
  func change(_ column: String) -> String { changeColumns.contains(column) ? column : "NULL" }

  /// Returns the SQL for a name of a transaction `t`; NULL if the store lacks its columns.
  ///
  /// - Parameter column: The column in which the first Apple systems with history wrote the name itself.
  func name(_ column: String) -> String {
    let plain = transactionColumns.contains(column) ? "t.\(column)" : "NULL"
    guard keepsStrings, transactionColumns.contains(column + "TS") else { return plain }
    return
      "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS), \(plain))"
  }

  /// Whether changes record which row was changed, and how.
  var identifiesRows: Bool {
    changeColumns.isSuperset(of: ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK"])
  }

  /// Returns the attributes whose values are preserved after deletion, in the order of the columns, which is by name.
  /// Attributes whose values may be in files are omitted.
  static func preserved(_ layout: EntityLayout, _ schema: StoreSchema) -> [Int] {
    layout.attributeSlots.filter { slot in
      guard let attribute = layout.slots[slot].property as? NSAttributeDescription,
        attribute.preservesValueInHistoryOnDeletion, !layout.slots[slot].isTransient,
        !attribute.allowsExternalBinaryDataStorage,
        case .attribute = schema.mapping(layout, slot)
      else { return false }
      return true
    }
    .sorted {
      layout.slots[$0].name.utf8.lexicographicallyPrecedes(layout.slots[$1].name.utf8)
    }
  }

  /// The transactions of this store object.
  var ownTransactions: IndexSet { own.withLock { $0 } }

  /// Adds or removes a transaction of this store object.
  func setOwn(_ transaction: Int64, _ isOwn: Bool) {
    guard let number = Int(exactly: transaction) else { return }
    own.withLock { if isOwn { $0.insert(number) } else { $0.remove(number) } }
  }

  /// Returns the bits of an entity's properties.
  func columns(_ layout: EntityLayout) -> ChangedColumns { columns[layout.index] }
}
