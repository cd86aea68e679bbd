import Synchronization
import StoreEngine

extension SQLiteStore {
  func fetch(_ plan: RowQuery, batchCapacity: Int, _ body: (RowBatch) throws -> Void) throws {
    guard contains(plan.layout) else { return }
    let decoder = decoder(plan.layout, withValues: plan.fetchesValues)
    // With several sort terms, SQLite may pass the rows to the receiving function before it sorts them by the last
    // terms. So the rows of a sorted query are read as columns.
    let forms = plan.sorts.isEmpty ? decoder.rowForms : [.columns]
    try run(decoder, forms, batchCapacity, plan.cancellation, { try rowsSQL(plan, $0) }) {
      batch, _ in try body(batch)
    }
  }

  /// Returns the statement that reads the rows of a query in a form.
  func rowsSQL(_ plan: RowQuery, _ form: RowForm) throws -> SQLText {
    let decoder = decoder(plan.layout, withValues: plan.fetchesValues)
    var builder = SelectBuilder(schema: schema, origin: origin, dialect: dialect)
    return try builder.select(plan) { _, alias in SQLText(decoder.selection(alias, form)) }
  }

  func rows(_ keys: [Int64], of layout: EntityLayout, _ body: (RowBatch) throws -> Void) throws {
    guard !keys.isEmpty, contains(layout) else { return }
    let decoder = decoder(layout, withValues: true)
    func query(_ form: RowForm) -> SQLText {
      if keys.count == 1 {
        return SQLText(decoder.rowQuery(form), parameters: [.integer(keys[0])])
      }
      var sql = SQLText(decoder.rowsQuery(form))
      sql += Self.keyCondition(keys)
      return sql
    }
    try run(decoder, decoder.rowForms, keys.count, nil, query) { batch, _ in try body(batch) }
  }

  /// Returns the condition that a column contains one of the keys: `= ?` for one key, otherwise `IN` with a JSON array.
  static func keyCondition(_ keys: [Int64]) -> SQLText {
    keys.count == 1
      ? SQLText("= ?", parameters: [.integer(keys[0])])
      : SQLText("IN (SELECT value FROM json_each(?))", parameters: [.text(list(of: keys))])
  }

  /// Returns a JSON array of keys, such as `[1,2,3]`. Written byte by byte for speed, because a table view that scrolls
  /// fetches batches of a hundred keys repeatedly.
  private static func list(of keys: [Int64]) -> String {
    let longest = String(Int64.min).utf8.count + 1
    return String(unsafeUninitializedCapacity: keys.count * longest + 2) { text in
      var end = 0
      func put(_ byte: UInt8) {
        text.initializeElement(at: end, to: byte)
        end += 1
      }
      put(UInt8(ascii: "["))
      for key in keys {
        if end > 1 { put(UInt8(ascii: ",")) }
        if key < 0 { put(UInt8(ascii: "-")) }
        let start = end
        var rest = key.magnitude
        repeat {
          put(UInt8(ascii: "0") + UInt8(rest % 10))
          rest /= 10
        } while rest > 0
        text[start..<end].reverse()
      }
      put(UInt8(ascii: "]"))
      return end
    }
  }

  /// Runs a query, decodes its rows, and passes them to `body` in batches.
  ///
  /// - Parameters:
  ///   - forms: The possible forms of the query, in the order in which they are tried. A form in which SQLite sorts the
  ///     rows is skipped, unless it is the last one.
  ///   - withExtra: Whether the query has an integer column after the columns of the decoder.
  ///   - body: Receives a batch, and the values of the extra column for the batch's rows.
  private func run(
    _ decoder: RowDecoder, _ forms: [RowForm], _ capacity: Int,
    _ cancellation: Cancellation?, withExtra: Bool = false,
    _ query: (RowForm) throws -> SQLText, _ body: (RowBatch, [Int64]) throws -> Void
  ) throws {
    // Prevents this process from removing a value file after its name is read and before the batch holds the file.
    decoder.files?.pin()
    defer { decoder.files?.unpin() }
    try translatingErrors("read") {
      try pool.read(cancellation) { connection in
        // The function that receives rows reads the bytes of strings without converting them to UTF-8.
        for form in forms where form == .columns || connection.hasUTF8 {
          let sql = try query(form)
          let statement = try connection.statement(sql.text)
          if statement.sortsRows { continue }
          defer { statement.reset() }
          statement.bind(sql.parameters)
          do {
            try deliverRows(
              statement, form, connection.receiver, decoder, capacity, withExtra, body)
            return log(sql)
          } catch is RowReceiver.RowsAreSorted where form != forms.last {
            statement.sortsRows = true
          }
        }
      }
    }
  }

  private func deliverRows(
    _ statement: SQLiteStatement, _ form: RowForm, _ receiver: RowReceiver,
    _ decoder: RowDecoder, _ capacity: Int, _ withExtra: Bool,
    _ body: (RowBatch, [Int64]) throws -> Void
  ) throws {
    var batch = RowBatch(shape: decoder.shape, capacity: capacity)
    var extras: [Int64] = []
    while true {
      if form == .handedOver {
        guard try receiver.step(statement, decoder, into: batch) else { break }
        if withExtra { extras.append(receiver.extra) }
      } else {
        guard try statement.step() else { break }
        try decoder.decode(statement, into: batch)
        if withExtra { extras.append(statement.integer(decoder.resultCount)) }
      }
      if batch.isFull {
        try body(batch, extras)
        // `body` may keep the batch, so the batch is not reused.
        batch = RowBatch(shape: decoder.shape, capacity: capacity)
        extras.removeAll(keepingCapacity: true)
      }
    }
    if batch.count > 0 { try body(batch, extras) }
  }

  func count(_ plan: RowQuery) throws -> Int {
    try count(.count(plan), plan.cancellation)
  }

  func count(_ plan: DictionaryQuery) throws -> Int {
    try count(.dictionaryCount(plan), plan.rows.cancellation)
  }

  /// Runs a query that returns one number.
  private func count(_ read: ReadOperation, _ cancellation: Cancellation?) throws -> Int {
    guard contains(read.layout) else { return 0 }
    return try run(try sql(read), cancellation) { statement in
      try statement.step() ? Int(statement.integer(0)) : 0
    }
  }

  /// Runs a query. `body` reads as many rows as it needs.
  func run<Result>(
    _ sql: SQLText, _ cancellation: Cancellation? = nil, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    try translatingErrors("read") {
      try pool.read(cancellation) { connection in
        let statement = try connection.statement(sql.text)
        defer { statement.reset() }
        statement.bind(sql.parameters)
        log(sql)
        return try body(statement)
      }
    }
  }

  func dictionaries(_ plan: DictionaryQuery) throws -> [[String: Any]] {
    guard contains(plan.rows.layout) else { return [] }
    let sql = try sql(.dictionaries(plan))
    externalUse?.pin()
    defer { externalUse?.unpin() }
    return try run(sql, plan.rows.cancellation) { statement in
      var rows: [[String: Any]] = []
      while try statement.step() {
        var row: [String: Any] = [:]
        for (index, column) in plan.columns.enumerated() {
          column.put(
            statement.value(index, column.form, origin: origin, external: external), into: &row)
        }
        rows.append(row)
      }
      return rows
    }
  }

  func memberRows(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owners: [Int64], _ members: RowBatch) throws -> Void
  ) throws -> Bool {
    guard contains(layout), !owners.isEmpty,
      let destination = layout.slots[slot].relationship?.destination
    else { return true }
    // The store lacks the table or column of the relationship, so there are no members to read.
    if schema.isMissing(layout, slot) { return true }
    let decoder = decoder(destination, withValues: true)
    let isOrdered = layout.slots[slot].relationship?.isOrdered == true
    try run(
      // SQLite may pass the rows to the receiving function before it sorts the members of all owners.
      decoder, isOrdered ? [.columns] : decoder.rowForms, RowBatch.maximumCount, nil,
      withExtra: true,
      { form in
        try membersSQL(of: slot, layout: layout, owners: owners, destination) {
          decoder.selection("t", form, and: $0)
        }
      }
    ) { batch, owners in try body(owners, batch) }
    return true
  }

  func members(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owner: Int64, _ member: Int64, _ memberLayout: EntityLayout) throws -> Void
  ) throws {
    guard contains(layout), !owners.isEmpty,
      let destination = layout.slots[slot].relationship?.destination
    else { return }
    if schema.isMissing(layout, slot) { return }
    let sql = try membersSQL(of: slot, layout: layout, owners: owners, destination) {
      "\($0), t.Z_PK, t.Z_ENT"
    }
    try run(sql) { statement in
      while try statement.step() {
        let number = Int(truncatingIfNeeded: statement.integer(2))
        try body(
          statement.integer(0),
          try PrimaryKey.validated(statement.integer(1), in: try schema.table(destination)),
          schema.layout(number: number, declared: destination))
      }
    }
  }

  private func membersSQL(
    of slot: Int, layout: EntityLayout, owners: [Int64], _ destination: EntityLayout,
    _ selection: (_ ownerColumn: String) -> String
  ) throws -> SQLText {
    let table = try schema.source(destination)
    var sql = SQLText("SELECT ")
    switch schema.mapping(layout, slot) {
    case .children(let column, let orderColumn, _):
      let column = "t.\(SQLText.name(column))"
      sql += "\(selection(column)) FROM \(table) t WHERE \(column) "
      sql += Self.keyCondition(owners)
      if let orderColumn {
        // The key makes the order of members with equal numbers stable.
        sql += " ORDER BY \(column), t.\(SQLText.name(orderColumn)), t.Z_PK"
      }
    case .join(let join):
      let name = SQLText.name(join.table)
      let owner = SQLText.name(join.ownerColumn)
      let member = SQLText.name(join.memberColumn)
      sql += "\(selection("j.\(owner)")) FROM \(name) j JOIN \(table) t ON t.Z_PK = j.\(member)"
      sql += " WHERE j.\(owner) "
      sql += Self.keyCondition(owners)
      if let order = join.memberOrderColumn {
        sql += " ORDER BY j.\(owner), j.\(SQLText.name(order)), t.Z_PK"
      }
    default:
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "\(layout.name).\(layout.slots[slot].name) is not in the store \(url.path)")
    }
    return sql
  }

  func log(_ sql: SQLText) {
    queriesRun.add(1, ordering: .relaxed)
    Log.statement(sql.text, parameters: sql.parameters.count)
  }
}
