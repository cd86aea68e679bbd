import CSQLite
import StoreEngine

/// Records a save or batch request in a store's history, in the same transaction and in the tables of Apple's Core
/// Data: insertions, then updates, then deletions, each row once.
///
/// A transaction of the history begins with its first change, so a save without changes leaves none. A save that is
/// repeated after conflicts uses a new recorder.
final class HistoryRecorder {
  let history: StoreHistory
  let schema: StoreSchema
  let connection: SQLiteConnection
  private let note: SaveNote
  private let origin: StoreOrigin
  /// The number of the transaction; nil until something has changed.
  private(set) var transaction: Int64?
  /// The key of the last change.
  private var lastChange: Int64 = 0
  /// The statement for one row. Kept because there may be many rows.
  private var row: SQLiteStatement?

  // The changes of a save that are written when all of them are known.
  private var tombstone: [StoredValue] = []
  private var deleted: [(row: ChangeSet.Deletion, values: [StoredValue])] = []
  private var others: [(row: RowKey, layout: EntityLayout, slot: Int?)] = []

  init(
    _ history: StoreHistory, _ note: SaveNote, _ schema: StoreSchema, _ origin: StoreOrigin,
    _ connection: SQLiteConnection
  ) {
    self.origin = origin
    self.history = history
    self.note = note
    self.schema = schema
    self.connection = connection
  }

  // MARK: Single rows and rows with consecutive keys

  func insert(_ layout: EntityLayout, _ keys: ClosedRange<Int64>) throws {
    try record(.insert, layout, keys, mask: nil)
  }

  func update(_ layout: EntityLayout, _ key: Int64, _ slots: some Sequence<Int>) throws {
    try record(.update, layout, key...key, mask: history.columns(layout).mask(slots))
  }

  private func record(
    _ type: NSPersistentHistoryChangeType, _ layout: EntityLayout, _ keys: ClosedRange<Int64>,
    mask: Data?
  ) throws {
    let transaction = try begin()
    let statement = try keys.count == 1 ? rowStatement() : rangeStatement(layout)
    statement.bind(keys.lowerBound, at: 1)
    if keys.count > 1 { statement.bind(keys.upperBound, at: 2) }
    statement.bind(Int64(type.rawValue), at: 3)
    statement.bind(Int64(try schema.number(layout)), at: 4)
    // The statement numbers the changes: it adds each row's key to this value.
    statement.bind(lastChange + 1 - keys.lowerBound, at: 5)
    statement.bind(transaction, at: 6)
    if let mask { statement.bind(mask, at: 7) }
    try statement.run()
    lastChange += Int64(keys.count)
  }

  private func rowStatement() throws -> SQLiteStatement {
    if let row { return row }
    let statement = try connection.statement(
      "INSERT INTO ACHANGE (\(Self.fields), ZCOLUMNS) VALUES (?5 + ?1, 16001, ?3, ?4, ?1, ?6, ?7)")
    row = statement
    return statement
  }

  /// Returns the statement for a range of keys. This transaction inserted their rows, so all of them exist.
  private func rangeStatement(_ layout: EntityLayout) throws -> SQLiteStatement {
    try connection.statement(
      "INSERT INTO ACHANGE (\(Self.fields), ZCOLUMNS)"
        + " SELECT ?5 + Z_PK, 16001, ?3, ?4, Z_PK, ?6, ?7"
        + " FROM \(SQLText.name(try schema.table(layout))) WHERE Z_PK BETWEEN ?1 AND ?2")
  }

  // In every store, the entities of changes, transactions and names have the numbers 16001, 16002
  // and 16003.
  private static let fields = "Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID"

  private func recordDeletion(_ row: ChangeSet.Deletion, _ values: [StoredValue]) throws {
    let transaction = try begin()
    let columns = values.indices.map { ", ZTOMBSTONE\($0)" }.joined()
    let marks = values.map { _ in ", ?" }.joined()
    let statement = try connection.statement(
      "INSERT INTO ACHANGE (\(Self.fields)\(columns)) VALUES (?, 16001, 2, ?, ?, ?\(marks))")
    lastChange += 1
    statement.bind(lastChange, at: 1)
    statement.bind(Int64(try schema.number(row.layout)), at: 2)
    statement.bind(row.key, at: 3)
    statement.bind(transaction, at: 4)
    for (index, value) in values.enumerated() { statement.bind(value, at: 5 + index) }
    try statement.run()
  }

  // MARK: Rows in temporary tables

  /// Records updates of the same properties of many rows.
  ///
  /// - Parameter table: A table with a column `pk`, and a column `ent` with the store's number of each row's entity.
  func update(rowsOf table: String, _ family: [EntityLayout], _ slots: some Collection<Int>) throws
  {
    // If there are no rows, do not begin a transaction of the history.
    if try connection.integer("SELECT EXISTS (SELECT 1 FROM \(table))") == 0 { return }
    var masks = ""
    for layout in family {
      guard let number = schema.numbers[layout.index] else { continue }
      let mask = history.columns(layout).mask(slots)
      masks += " WHEN \(number) THEN x'\(mask.map { String(format: "%02x", $0) }.joined())'"
    }
    let transaction = try begin()
    try connection.execute(
      "INSERT INTO ACHANGE (\(Self.fields), ZCOLUMNS)"
        + " SELECT \(lastChange) + ROW_NUMBER() OVER (ORDER BY pk), 16001, 1, ent, pk,"
        + " \(transaction), CASE ent\(masks) END FROM \(table)")
    lastChange += sqlite3_changes64(connection.handle)
  }

  /// Adds computed properties of rows to the recorded updates of these rows. Rows that the transaction inserts or
  /// deletes have no updates.
  func extendUpdates(by rows: [ComputedRow]) throws {
    guard let transaction, !rows.isEmpty else { return }
    var slots: [RowKey: [Int]] = [:]
    for row in rows where !row.slots.isEmpty {
      slots[RowKey(row.layout, row.key, origin)] = row.slots
    }
    var masks: [(key: Int64, mask: Data)] = []
    try connection.run(
      "SELECT Z_PK, ZENTITY, ZENTITYPK, ZCOLUMNS FROM ACHANGE"
        + " WHERE ZTRANSACTIONID = ? AND ZCHANGETYPE = 1", [.integer(transaction)]
    ) { recorded in
      guard let layout = schema.layout(number: Int(truncatingIfNeeded: recorded.integer(1))),
        let more = slots[RowKey(layout, recorded.integer(2), origin)],
        case .data(let mask) = recorded.plainValue(3)
      else { return }
      let added = history.columns(layout).mask(more)
      masks.append((recorded.integer(0), Data(zip(mask, added).map { $0 | $1 })))
    }
    // Write after the query, because SQLite does not define what a query reads from a table that
    // changes while the query runs.
    for (key, mask) in masks {
      try connection.run(
        "UPDATE ACHANGE SET ZCOLUMNS = ? WHERE Z_PK = ?", [.data(mask), .integer(key)])
    }
  }

  /// Records the deletion of existing rows of a table.
  ///
  /// - Parameter rows: A query for the keys of the rows.
  func delete(_ rows: String, of root: EntityLayout) throws {
    let table = SQLText.name(try schema.table(root))
    // If there are no rows, do not begin a transaction of the history.
    if try connection.integer("SELECT EXISTS (SELECT 1 FROM \(table) WHERE Z_PK IN (\(rows)))") == 0
    {
      return
    }
    var columns = ""
    var values = ""
    for place in 0..<history.tombstoneCount {
      var cases = ""
      for layout in root.family {
        guard let number = schema.numbers[layout.index],
          let column = column(place, of: layout)
        else { continue }
        cases += " WHEN \(number) THEN \(column)"
      }
      if cases.isEmpty { continue }
      columns += ", ZTOMBSTONE\(place)"
      values += ", CASE Z_ENT\(cases) END"
    }
    let entity = try schema.entityNumber("Z_ENT", declared: root)
    let transaction = try begin()
    try connection.execute(
      "INSERT INTO ACHANGE (\(Self.fields)\(columns))"
        + " SELECT \(lastChange) + ROW_NUMBER() OVER (ORDER BY Z_PK), 16001, 2, \(entity), Z_PK,"
        + " \(transaction)\(values) FROM \(table) WHERE Z_PK IN (\(rows))")
    lastChange += sqlite3_changes64(connection.handle)
  }

  /// Returns the column of a preserved value of a deleted row, by its position in the tombstone.
  private func column(_ place: Int, of layout: EntityLayout) -> String? {
    let slots = history.tombstones[layout.index]
    guard place < slots.count,
      case .attribute(let column) = schema.mapping(layout, slots[place])
    else { return nil }
    return SQLText.name(column)
  }

  // MARK: The transaction

  /// Ends the transaction, if there is one. Records the highest key that it used, so that other processes do not reuse
  /// its keys.
  func finish() throws {
    guard let transaction else { return }
    try connection.run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = 16001", [.integer(lastChange)])
    // Record this before the commit, after which other threads can read the transaction.
    history.setOwn(transaction, true)
  }

  /// Removes the transaction from the store's own after a rollback, because another process may use its number now.
  func didRollBack() {
    if let transaction { history.setOwn(transaction, false) }
  }

  private func begin() throws -> Int64 {
    if let transaction { return transaction }
    // As in `newKey`, the counter may be less than existing keys. The new counter is written at
    // the end, once for all changes.
    lastChange =
      try connection.integer(
        "SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001), 0),"
          + " IFNULL((SELECT MAX(Z_PK) FROM ACHANGE), 0))") ?? 0
    try checkNumber(lastChange, "ACHANGE")
    let number = try newKey(HistorySchema.transactionEntity, "ATRANSACTION")
    let names = [note.author, SaveNote.bundleID, note.contextName, SaveNote.processName]
    let keys = try names.map { try $0.map(key(ofName:)) }
    try connection.run(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS,"
        + " ZPROCESSIDTS, ZTIMESTAMP) VALUES (?1, 16002, ?2, ?3, ?4, ?5, ?6)",
      [.integer(number)] + keys.map { $0.map(StoredValue.integer) ?? .null }
        + [.double(Date().timeIntervalSinceReferenceDate)])
    transaction = number
    return number
  }

  /// Returns the key of a name. Writes the name if the store does not contain it yet.
  private func key(ofName name: String) throws -> Int64 {
    let known = try connection.integer(
      "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [.text(name)])
    if let known { return known }
    let new = try newKey(HistorySchema.stringEntity, "ATRANSACTIONSTRING")
    try connection.run(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?1, 16003, ?2)",
      [.integer(new), .text(name)])
    return new
  }

  /// Allocates a key. Apple's own counters may be less than existing keys.
  private func newKey(_ entity: Int64, _ table: String) throws -> Int64 {
    let keys = try connection.rows(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(IFNULL(Z_MAX, 0), (SELECT IFNULL(MAX(Z_PK), 0) FROM"
        + " \(table))) + 1 WHERE Z_ENT = \(entity) RETURNING Z_MAX"
    ) { $0.integer(0) }
    guard let key = keys.first else {
      throw CoreDataError.make(
        NSPersistentStoreSaveError, "Z_PRIMARYKEY has no row for persistent history (\(entity))")
    }
    try checkNumber(key, table)
    return key
  }

  /// - Throws: For a negative number, and for one so large that later numbers may overflow. No real history is that
  ///   long.
  private func checkNumber(_ number: Int64, _ table: String) throws {
    guard (0...Int64.max / 2).contains(number) else {
      throw SQLiteError(
        code: SQLITE_CORRUPT, message: "the last number in its table \(table) is \(number) (Z_PK)",
        sql: nil)
    }
  }
}

// MARK: A save

extension HistoryRecorder {
  /// Called before a row is deleted, while its values can still be read. Another process may have deleted it already.
  func willDelete(_ row: ChangeSet.Deletion) throws {
    tombstone.removeAll(keepingCapacity: true)
    let count = min(history.tombstones[row.layout.index].count, history.tombstoneCount)
    if count == 0 { return }
    let columns = (0..<count).compactMap { column($0, of: row.layout) }
    try connection.run(
      "SELECT \(columns.joined(separator: ", ")) FROM \(SQLText.name(try schema.table(row.layout)))"
        + " WHERE Z_PK = ?", [.integer(row.key)]
    ) { tombstone = columns.indices.map($0.plainValue) }
  }

  /// Called after a row with the expected version was deleted.
  func didDelete(_ row: ChangeSet.Deletion) { deleted.append((row, tombstone)) }

  private func addUpdate(_ layout: EntityLayout, _ key: Int64, _ slot: Int?) {
    others.append((RowKey(layout, key, origin), layout, slot))
  }

  /// Records rows whose derived attributes were computed, including rows that the save itself writes.
  func didCompute(_ rows: [ComputedRow]) {
    for row in rows {
      for slot in row.slots { addUpdate(row.layout, row.key, slot) }
      if row.slots.isEmpty { addUpdate(row.layout, row.key, nil) }
    }
  }

  /// Called when the whole change set is written, before the commit.
  func didWrite(_ changes: ChangeSet) throws {
    var inserted = BatchKeys()
    var isNew: Set<RowKey> = []
    let restored = changes.updated.filter(\.isRestored)
    for row in changes.inserted { inserted.append(row.key, row.layout, origin) }
    for row in restored { inserted.append(row.key, row.layout, origin) }
    for run in inserted.runs { try insert(run.layout, run.keys) }
    for link in changes.links
    // Members that were added and removed again before the save are not a change.
    where !link.added.isEmpty || !link.removed.isEmpty || link.order != nil {
      addUpdate(link.layout, link.key, link.slot)
    }
    var linked: [RowKey: Set<Int>] = [:]
    // Most saves change no to-many relationship, and need none of these sets.
    if !others.isEmpty {
      for row in changes.inserted { isNew.insert(RowKey(row.layout, row.key, origin)) }
      for row in restored { isNew.insert(RowKey(row.layout, row.key, origin)) }
      for other in others where !isNew.contains(other.row) {
        linked[other.row, default: []].formUnion(other.slot.map { [$0] } ?? [])
      }
    }
    for row in changes.updated where !row.isRestored {
      let slots = row.values.map(\.slot)
      if linked.isEmpty {
        try update(row.layout, row.key, slots)
      } else {
        let more = linked.removeValue(forKey: RowKey(row.layout, row.key, origin)) ?? []
        try update(row.layout, row.key, more.union(slots))
      }
    }
    // For a deleted row, only the deletion is recorded.
    let gone = linked.isEmpty ? [] : Set(deleted.map { RowKey($0.row.layout, $0.row.key, origin) })
    for other in others {
      guard let slots = linked.removeValue(forKey: other.row), !gone.contains(other.row) else {
        continue
      }
      try update(other.layout, other.row.key, slots)
    }
    for (row, values) in deleted { try recordDeletion(row, values) }
  }
}
