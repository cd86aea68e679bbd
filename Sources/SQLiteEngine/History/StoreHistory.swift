import StoreEngine
import Synchronization

/// How one open store keeps its history.
final class StoreHistory: Sendable {
  /// Whether what is written is recorded; else it can be read only.
  let isRecorded: Bool
  /// How many columns the file has for values of deleted objects.
  let tombstoneCount: Int
  /// Whether names stand in a table of their own; the first systems wrote them into each row.
  let keepsStrings: Bool
  private let columns: [ChangedColumns]
  /// By entity index.
  let tombstones: [[Int]]
  private let own = Mutex(IndexSet())

  private init(_ schema: StoreSchema, isRecorded: Bool, tombstoneCount: Int, keepsStrings: Bool) {
    self.isRecorded = isRecorded
    self.tombstoneCount = tombstoneCount
    self.keepsStrings = keepsStrings
    columns = schema.model.entities.map { ChangedColumns($0, schema) }
    tombstones = schema.model.entities.map { Self.preserved($0, schema) }
  }

  /// The history of a store that has one; nil for others.
  ///
  /// - Parameter isRecorded: whether the store is written to and keeps history: tables that are
  ///   missing are made then.
  static func find(
    on connection: SQLiteConnection, _ schema: StoreSchema, isRecorded: Bool
  ) throws -> StoreHistory? {
    if isRecorded {
      let count = schema.model.entities.map { preserved($0, schema).count }.max() ?? 0
      // Mostly nothing is missing, and then nobody has to wait for a lock.
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

  /// The attributes whose values outlive their object, in the order of the columns: by name. What is
  /// kept in files beside the store is not preserved.
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

  /// The transactions that were written here.
  var ownTransactions: IndexSet { own.withLock { $0 } }

  /// Notes, or forgets, a transaction as written here.
  func setOwn(_ transaction: Int64, _ isOwn: Bool) {
    guard let number = Int(exactly: transaction) else { return }
    own.withLock { if isOwn { $0.insert(number) } else { $0.remove(number) } }
  }

  /// The bits of an entity's properties.
  func columns(_ layout: EntityLayout) -> ChangedColumns { columns[layout.index] }
}
