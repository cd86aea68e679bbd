import StoreEngine
import Synchronization

/// The properties of an open store's history.
final class StoreHistory: Sendable {
  /// Whether changes are recorded. If not, the history can only be read.
  let isRecorded: Bool
  /// The number of columns for values of deleted objects.
  let tombstoneCount: Int
  /// Whether names, such as those of authors, are in a separate table. The first Apple systems with history wrote them
  /// into the row of each transaction.
  let keepsStrings: Bool
  private let columns: [ChangedColumns]
  /// The slots of preserved attributes by entity index.
  let tombstones: [[Int]]
  private let own = Mutex(IndexSet())

  private init(_ schema: StoreSchema, isRecorded: Bool, tombstoneCount: Int, keepsStrings: Bool) {
    self.isRecorded = isRecorded
    self.tombstoneCount = tombstoneCount
    self.keepsStrings = keepsStrings
    columns = schema.model.entities.map { ChangedColumns($0, schema) }
    tombstones = schema.model.entities.map { Self.preserved($0, schema) }
  }

  /// Returns the history of a store; nil if it has none.
  ///
  /// - Parameter isRecorded: Whether the store is writable and records its history. If so, missing tables are
  ///   created.
  static func find(
    on connection: SQLiteConnection, _ schema: StoreSchema, isRecorded: Bool
  ) throws -> StoreHistory? {
    if isRecorded {
      // All entities share the table, so the one with the most preserved attributes determines its
      // columns.
      let count = schema.model.entities.map { preserved($0, schema).count }.max() ?? 0
      // Usually nothing is missing, and then no lock is needed.
      if try !isComplete(on: connection, tombstones: count) {
        try connection.transaction {
          try HistorySchema.complete(on: connection, tombstones: count)
        }
      }
    }
    let changes = try HistorySchema.columns(of: "ACHANGE", on: connection)
    let transactions = try HistorySchema.columns(of: "ATRANSACTION", on: connection)
    let strings = try HistorySchema.columns(of: "ATRANSACTIONSTRING", on: connection)
    guard changes.contains("ZTRANSACTIONID"), transactions.contains("ZTIMESTAMP") else {
      return nil
    }
    return StoreHistory(
      schema, isRecorded: isRecorded,
      tombstoneCount: (0..<changes.count).prefix { changes.contains("ZTOMBSTONE\($0)") }.count,
      keepsStrings: transactions.contains("ZAUTHORTS") && strings.contains("ZNAME"))
  }

  private static func isComplete(on connection: SQLiteConnection, tombstones: Int) throws -> Bool {
    let changes = try HistorySchema.columns(of: "ACHANGE", on: connection)
    let strings = try HistorySchema.columns(of: "ATRANSACTIONSTRING", on: connection)
    let transactions = try HistorySchema.columns(of: "ATRANSACTION", on: connection)
    return changes.contains("ZCOLUMNS") && !strings.isEmpty && transactions.contains("ZAUTHORTS")
      && (0..<tombstones).allSatisfy { changes.contains("ZTOMBSTONE\($0)") }
  }

  /// Returns the attributes whose values are preserved after deletion, in the order of the columns, which is by name.
  /// Values in files are not preserved.
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
