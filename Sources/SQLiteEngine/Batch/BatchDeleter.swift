import StoreEngine

/// Executes a batch deletion with its delete rules inside a transaction.
///
/// The rows that the request selects form the first wave. The rows that cascade rules add for a wave form the next
/// one. The number of statements that find and change rows depends on the number of relationships and waves, not on the
/// number of rows. Only the history needs a statement for each remaining row that loses a reference.
struct BatchDeleter {
  private let deletion: BatchDeletion
  private let store: SQLiteStore
  private let transaction: WriteTransaction
  private let builder: DeleteBuilder

  /// The number of waves after which an index on the wave numbers saves more time than it costs. Its cost is
  /// proportional to the number of recorded rows.
  private static let wavesWithoutIndex = 16

  init(
    _ deletion: BatchDeletion, store: SQLiteStore, in transaction: WriteTransaction
  ) {
    self.deletion = deletion
    self.store = store
    self.transaction = transaction
    builder = DeleteBuilder(schema: store.schema, origin: store.origin, dialect: store.dialect)
  }

  private var connection: SQLiteConnection { transaction.connection }

  func run() throws -> BatchOutcome {
    var outcome = BatchOutcome()
    let recorder = transaction.recorder
    try connection.run(SQLText(builder.rowTable))
    try connection.run(try builder.begin(deletion.rows))
    try cascade()
    let layouts = try layouts(wave: nil)
    var touched: [Int: [Int64: Touched]] = [:]
    for layout in layouts {
      // All rules are checked before the first reference is removed, because the checks read the references.
      for slot in relationships(of: layout) { try examine(layout, slot, &touched) }
    }
    for layout in layouts {
      for slot in relationships(of: layout) { try nullifyReferences(layout, slot) }
    }
    for (_, rows) in touched.sorted(by: { $0.key < $1.key }) {
      for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
        outcome.updated.append(key, row.layout, store.origin)
        try recorder?.update(row.layout, key, row.slots)
      }
    }
    var roots: [EntityLayout] = []
    // One statement deletes the rows of all entities that share a table, so each root entity needs one.
    for layout in layouts where !roots.contains(where: { $0 === layout.root }) {
      roots.append(layout.root)
      try recorder?.delete(
        "SELECT pk FROM \(builder.rows) WHERE root = \(layout.root.index)", of: layout.root)
      try transaction.files.release(
        store.schema.externalColumns(ofFamily: layout.root),
        of: try store.schema.table(layout.root), where: builder.isDeleted(layout.root),
        on: connection)
      try connection.run(try builder.delete(layout.root))
    }
    try connection.run(
      SQLText("SELECT root, pk, ent FROM \(builder.rows) ORDER BY root, pk")
    ) { row in
      let root = store.schema.model.entities[Int(row.integer(0))]
      outcome.deleted.append(
        try PrimaryKey.validated(row.integer(1), in: try store.schema.table(root)),
        layout(row.integer(2)) ?? root, store.origin)
    }
    // After an error, the rollback removes the temporary table.
    try connection.run(SQLText("DROP TABLE \(builder.rows)"))
    return outcome
  }

  /// A remaining row that refers to deleted rows, and the affected relationships.
  private struct Touched {
    let layout: EntityLayout
    var slots: Set<Int> = []
  }

  private func layout(_ number: Int64) -> EntityLayout? {
    store.schema.layout(number: Int(truncatingIfNeeded: number))
  }

  private func relationships(of layout: EntityLayout) -> [PropertySlot] {
    (layout.toOneSlots + layout.toManySlots).map { layout.slots[$0] }
      .filter { !$0.isTransient && $0.relationship != nil }
  }

  /// Returns the entities of the rows to delete, in one wave or, for nil, in all waves.
  private func layouts(wave: Int?) throws -> [EntityLayout] {
    let condition = wave.map { " WHERE wave = \($0)" } ?? ""
    return try connection.rows(
      "SELECT DISTINCT ent FROM \(builder.rows)\(condition) ORDER BY ent"
    ) { layout($0.integer(0)) }.compactMap(\.self)
  }

  /// Records the rows that are deleted by cascade rules, wave by wave.
  private func cascade() throws {
    var wave = 0
    var reached = try layouts(wave: wave)
    while !reached.isEmpty {
      for layout in reached {
        for slot in relationships(of: layout)
        where slot.relationship?.deleteRule == .cascadeDeleteRule {
          if let text = try builder.cascade(layout, slot, wave: wave) { try connection.run(text) }
        }
      }
      wave += 1
      // Without an index, each wave of a long chain would scan the rows of all other waves.
      if wave == Self.wavesWithoutIndex { try connection.run(SQLText(builder.waveIndex)) }
      reached = try layouts(wave: wave)
    }
  }

  /// Records the remaining rows that refer to deleted ones. Throws an error if the delete rule denies the deletion, or
  /// if a remaining row would lose a required reference. With the No Action rule, the references remain.
  private func examine(
    _ layout: EntityLayout, _ slot: PropertySlot, _ touched: inout [Int: [Int64: Touched]]
  ) throws {
    guard let relationship = slot.relationship,
      relationship.deleteRule == .denyDeleteRule || relationship.inverse != nil,
      relationship.deleteRule != .noActionDeleteRule,
      let text = try builder.remaining(layout, slot)
    else { return }
    let destination = relationship.destination
    let inverse = relationship.inverse.map { destination.slots[$0] }
    try connection.run(text) { row in
      let key = try PrimaryKey.validated(row.integer(0), in: try store.schema.table(destination))
      if relationship.deleteRule == .denyDeleteRule {
        throw denied(layout, slot, "\(destination.name) p\(key) still exists")
      }
      if let inverse, inverse.kind == .toOne, !inverse.isOptional {
        throw mandatory(layout, slot, "\(destination.name) p\(key)", inverse)
      }
      // A damaged row may have the number of an entity that lacks the inverse relationship.
      let layout = self.layout(row.integer(1)).flatMap { $0.isKind(of: destination) ? $0 : nil }
      var rest = touched[destination.root.index]?[key] ?? Touched(layout: layout ?? destination)
      if let inverse, rest.layout.isKind(of: destination) { rest.slots.insert(inverse.index) }
      touched[destination.root.index, default: [:]][key] = rest
    }
  }

  private func nullifyReferences(_ layout: EntityLayout, _ slot: PropertySlot) throws {
    if slot.relationship?.deleteRule != .noActionDeleteRule,
      let text = try builder.nullify(layout, slot)
    {
      try connection.run(text)
    }
    // The pairs of a join table are deleted whatever the rule is, because a pair with a deleted row is meaningless.
    for text in try builder.unlink(layout, slot) { try connection.run(text) }
  }

  private func denied(_ layout: EntityLayout, _ slot: PropertySlot, _ what: String) -> NSError {
    CoreDataError.make(
      NSValidationRelationshipDeniedDeleteError,
      "rows of \(layout.name) cannot be deleted from \(store.url.path): the rule of \(slot.name)"
        + " denies it, because \(what)",
      [NSFilePathErrorKey: store.url.path, NSValidationKeyErrorKey: slot.name])
  }

  private func mandatory(
    _ layout: EntityLayout, _ slot: PropertySlot, _ row: String, _ inverse: PropertySlot
  ) -> NSError {
    CoreDataError.make(
      NSValidationMissingMandatoryPropertyError,
      "rows of \(layout.name) cannot be deleted from \(store.url.path): \(row) would be left without"
        + " its required \(inverse.name)",
      [NSFilePathErrorKey: store.url.path, NSValidationKeyErrorKey: inverse.name])
  }
}
