import StoreEngine

extension SQLiteStore {
  func allocateKeys(_ requests: [KeyRequest]) throws -> [Range<Int64>] {
    try write("reserve keys in", code: NSPersistentStoreOperationError) { transaction in
      // `write` does this only if there is a note.
      try requireModel(on: transaction.connection)
      return try keys(requests, on: transaction.connection)
    }
  }

  func save(_ changes: inout ChangeSet, note: SaveNote) throws -> SaveOutcome {
    try save(&changes, note: note, beforeCommit: {})
  }

  /// Saves a change set, and calls `beforeCommit` when everything is written. If that throws an error, rolls the save
  /// back.
  func save(
    _ changes: inout ChangeSet, note: SaveNote, beforeCommit: () throws -> Void
  ) throws -> SaveOutcome {
    do {
      return try write("save to", note) { try write(&changes, in: $0, beforeCommit) }
    } catch let unwritten as Unwritten {
      return unwritten.outcome
    }
  }

  /// Writes within a transaction, which an error rolls back.
  private func write(
    _ changes: inout ChangeSet, in transaction: WriteTransaction, _ beforeCommit: () throws -> Void
  ) throws -> SaveOutcome {
    let (connection, recorder) = (transaction.connection, transaction.recorder)
    changes.assignKeys(try keys(changes.keyRequests, on: connection), origin)
    changes.setTimes(Date())
    let writer = ChangeWriter(
      schema: schema, connection: connection, recorder: recorder, files: transaction.files)
    var problems = WriteProblems()
    // Deletions and updates come first, because new rows may have the unique values that they
    // release.
    problems.conflicts = try writer.delete(changes.deleted)
    try writer.update(changes.updated, &problems)
    problems.conflicts += try writer.check(changes.checked)
    problems.conflicts += try writer.missing(changes.linked)
    // The context resolves conflicts.
    try requireNone(problems.conflicts)
    try writer.insert(changes.inserted, &problems)
    if !problems.violations.isEmpty {
      throw Unwritten(outcome: .violations(problems.violations))
    }
    // Write the links after the insertions, because the members may be new rows.
    try writer.link(changes.links)
    try requireNone(try writer.lateMembers(of: changes.deleted))
    let computed = try computedRows(in: transaction)
    changes.computed = rows(computed, besides: changes)
    recorder?.didCompute(computed)
    try recorder?.didWrite(changes)
    try writeMetadata(in: transaction)
    try beforeCommit()
    return .saved(
      insertedVersions: changes.inserted.indices.map(changes.inserted.version),
      updatedVersions: changes.updated.map { $0.version &+ 1 }, transaction: recorder?.transaction)
  }

  private func requireNone(_ conflicts: [RowConflict]) throws {
    if conflicts.isEmpty { return }
    throw Unwritten(outcome: .conflicts(conflicts, isForeign: try wasChangedByOtherConnection()))
  }

  /// Returns the rows that triggers changed and the change set does not write.
  private func rows(_ rows: [ComputedRow], besides changes: ChangeSet) -> [ComputedRow] {
    if rows.isEmpty { return [] }
    var written: [Int: Set<Int64>] = [:]
    func note(_ layout: EntityLayout, _ key: Int64) {
      written[layout.rootIndex, default: []].insert(key)
    }
    for row in changes.inserted { note(row.layout, row.key) }
    for row in changes.updated { note(row.layout, row.key) }
    for row in changes.deleted { note(row.layout, row.key) }
    return rows.filter { written[$0.layout.root.index]?.contains($0.key) != true }
  }

  /// An error that rolls the transaction back. Thrown and caught on the same thread.
  private struct Unwritten: Error, @unchecked Sendable { let outcome: SaveOutcome }

  /// Returns whether another connection, in this or another process, has changed the file since it was opened.
  private func wasChangedByOtherConnection() throws -> Bool {
    try pool.foreignVersion() != openedVersion
  }

  /// Fills a new store with the rows of a file that was read as a whole.
  ///
  /// Rows that other programs wrote may violate a uniqueness constraint. The store then does not enforce uniqueness, so
  /// that the file can still be opened.
  func load(_ changes: ChangeSet, from url: URL?) throws {
    let outcome = try save(changes)
    if case .violations = outcome {
      let path = url?.path ?? "in memory"
      do { try outcome.requireSaved() } catch {
        Log.contextNotice("\(path): \(error.localizedDescription); constraints are not enforced")
      }
      try write("read", code: NSPersistentStoreOperationError) {
        try $0.connection.dropUniqueIndexes()
      }
      try save(changes).requireSaved()
    } else {
      try outcome.requireSaved()
    }
  }

  /// Allocates keys from `Z_PRIMARYKEY`, which all processes use.
  func keys(_ requests: [KeyRequest], on connection: SQLiteConnection) throws -> [Range<Int64>] {
    try requests.map { request in
      let table = try schema.table(request.root)
      // In a store that another program wrote to, the counter may be less than the keys of rows.
      let last = try connection.rows(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(IFNULL(Z_MAX, 0), (SELECT IFNULL(MAX(Z_PK), 0) FROM "
          + "\(SQLText.name(table)))) + ?1 WHERE Z_ENT = ?2 RETURNING Z_MAX",
        [.integer(Int64(request.count)), .integer(Int64(try schema.number(request.root)))]
      ) { $0.integer(0) }.first
      guard let last else {
        throw StoreErrors.damaged(url, "Z_PRIMARYKEY has no row for \(request.root.name)")
      }
      guard last < Int64.max, last - Int64(request.count) >= 0 else {
        throw StoreErrors.damaged(url, "Z_PRIMARYKEY has no keys left for \(request.root.name)")
      }
      connection.affected.noteNew(
        request.root.family.compactMap { schema.numbers[$0.index] },
        from: last - Int64(request.count) + 1)
      return (last - Int64(request.count) + 1)..<(last + 1)
    }
  }
}
