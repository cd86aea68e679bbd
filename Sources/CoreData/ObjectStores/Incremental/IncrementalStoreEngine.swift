/// The engine of a custom incremental store. Each context has its own instance, and all instances share one state.
final class IncrementalStoreEngine: ObjectStoreEngine, @unchecked Sendable {
  // Not retained, because the store owns its engine.
  private unowned let store: NSIncrementalStore
  let origin: StoreOrigin
  let state: State
  private let context: NSManagedObjectContext?

  /// The state that the instances of all contexts share.
  final class State: @unchecked Sendable {
    private let lock = NSLock()
    private var lockedMetadata: [String: Any]
    private var rows: [Int: ValueRows] = [:]
    private var versions: [Int64: Int32] = [:]

    init(_ metadata: [String: Any]) { lockedMetadata = metadata }

    var metadata: [String: Any] {
      get { lock.withLock { lockedMetadata } }
      set { lock.withLock { lockedMetadata = newValue } }
    }

    /// Returns the version of an object after the last save by this coordinator; nil for an object that was only
    /// read, 0 for a deleted object.
    func savedVersion(of key: Int64) -> Int32? { lock.withLock { versions[key] } }

    func setSavedVersions(_ changes: [(key: Int64, version: Int32)]) {
      lock.withLock { for (key, version) in changes { versions[key] = version } }
    }

    /// Returns the version of an object that was read from the store: the store's version or that of the last save,
    /// whichever is higher, because a store need not count versions.
    func readVersion(of key: Int64, _ version: Int32) -> Int32 {
      lock.withLock {
        guard let saved = versions[key] else { return version }
        // A deleted object that exists again was inserted by another coordinator or process.
        versions[key] = saved == 0 ? nil : max(saved, version)
        return max(saved, version)
      }
    }

    func rows(of layout: EntityLayout) -> ValueRows {
      lock.withLock {
        if let known = rows[layout.index] { return known }
        let new = ValueRows(layout)
        rows[layout.index] = new
        return new
      }
    }
  }

  convenience init(store: NSIncrementalStore, origin: StoreOrigin, metadata: [String: Any]) {
    self.init(store, origin, State(metadata), nil)
  }

  private init(
    _ store: NSIncrementalStore, _ origin: StoreOrigin, _ state: State,
    _ context: NSManagedObjectContext?
  ) {
    self.store = store
    self.origin = origin
    self.state = state
    self.context = context
  }

  var usesSessions: Bool { true }

  func session(for context: NSManagedObjectContext) -> any StoreEngine {
    IncrementalStoreEngine(store, origin, state, context)
  }

  /// A custom store returns the values of one object at a time.
  var readsRowsTogether: Bool { false }
  // `NSPersistentStore` itself records whether the store is opened for reading only.
  var isReadOnly: Bool { false }
  var metadata: [String: Any] { state.metadata }

  func stageMetadata(_ metadata: [String: Any]) {
    state.metadata = metadata
    if let identifier = metadata[NSStoreUUIDKey] as? String { origin.identifier = identifier }
  }

  // A custom store reads and writes its metadata itself.
  func stagedMetadata(over current: [String: Any]) -> [String: Any]? { nil }
  func saveMetadata() throws {}
  func close() throws {}

  private var configuration: Set<String> {
    get throws {
      Set(
        try ModelCheck(
          model: coordinator.layouts, configuration: store.configurationName
        ).entityNames())
    }
  }

  private var coordinator: NSPersistentStoreCoordinator {
    get throws {
      guard let coordinator = store.persistentStoreCoordinator else {
        throw CoreDataError.make(NSPersistentStoreOperationError, "the store is not open")
      }
      return coordinator
    }
  }

  func contains(_ layout: EntityLayout) -> Bool {
    if store.configurationName == NSManagedObjectModel.defaultConfigurationName { return true }
    guard let names = try? configuration else { return false }
    // As in the tables of SQLite stores, which contain whole entity hierarchies, a request for an entity finds
    // objects of its subentities.
    func keeps(_ layout: EntityLayout) -> Bool {
      names.contains(layout.name) || layout.sublayouts.contains(where: keeps)
    }
    return keeps(layout)
  }

  func requireContext() throws -> NSManagedObjectContext {
    guard let context else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "a custom store can only be read by a context")
    }
    return context
  }

  // MARK: Fetching

  /// Executes a query and returns the keys and entities of its objects.
  private func keys(_ plan: RowQuery) throws -> [(key: Int64, layout: EntityLayout)] {
    guard contains(plan.layout) else { return [] }
    let result = try execute(plan, .managedObjectResultType)
    guard let list = result as? [Any] else { throw unexpected(result, "an array of objects") }
    return try list.map { item in
      guard let found = Self.row(of: item) else { throw unexpected(item, "objects or their IDs") }
      guard let layout = plan.layout.narrowed(to: found.layout) else {
        throw unexpectedResult(
          "an object of \(found.layout.name) for a request for \(plan.layout.name)")
      }
      return (found.key, layout)
    }
  }

  /// Returns the key and entity of an object or an ID; nil for any other value.
  private static func row(of item: Any) -> (key: Int64, layout: EntityLayout)? {
    switch item {
    case let object as NSManagedObject: (object.key, object.layout)
    case let id as NSManagedObjectID: (id.key, id.layout)
    default: nil
    }
  }

  private func execute(_ plan: RowQuery, _ type: NSFetchRequestResultType) throws -> Any {
    let request: NSFetchRequest<any NSFetchRequestResult>
    if let given = plan.request as? any FetchExecutable {
      request = given.converted(to: type)
    } else {
      request = NSFetchRequest<any NSFetchRequestResult>()
      request.resultType = type
    }
    request.entity = plan.layout.entity
    request.includesSubentities = plan.includesSubentities
    // The plan may differ from the request: unsaved changes in the context raise the limit.
    request.fetchLimit = plan.limit
    request.fetchOffset = plan.offset
    return try store.execute(request, with: context)
  }

  private func unexpected(_ value: Any, _ wanted: String) -> NSError {
    unexpectedResult("\(Swift.type(of: value)) instead of \(wanted)")
  }

  private func unexpectedResult(_ result: String) -> NSError {
    CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(Swift.type(of: store)).execute(_:with:) returned \(result)")
  }

  func fetch(_ plan: RowQuery, batchCapacity: Int, _ body: (RowBatch) throws -> Void) throws {
    let found = try keys(plan)
    let shape = RowShape(model: plan.layout.model, columns: [], columnNumbers: [:])
    var start = 0
    while start < found.count {
      let end = min(start + RowBatch.maximumCount, found.count)
      let batch = RowBatch(shape: shape, capacity: end - start)
      for item in found[start..<end] {
        batch.appendRow(key: item.key, version: 0, entity: item.layout.index)
      }
      try body(batch)
      start = end
    }
  }

  func fetchKeys(
    _ plan: RowQuery, values expressions: [BoundExpression], _ body: (RowCursor) throws -> Void
  ) throws {
    let context = try requireContext()
    let evaluators = expressions.map(ValueEvaluator.init)
    for item in try keys(plan) {
      let object = context.object(
        item.layout, key: item.key, origin: origin, .none, declared: plan.layout)
      try body(
        RowCursor(
          layout: item.layout, key: item.key, origin: origin, version: 0,
          values: InMemoryRowValues(try evaluators.map { try $0.value(of: object) })))
    }
  }

  func count(_ plan: RowQuery) throws -> Int {
    guard contains(plan.layout) else { return 0 }
    let result = try execute(plan, .countResultType)
    // The documented result is an array with the number. The number itself is accepted, too.
    let number = (result as? [Any])?.first ?? result
    guard let count = number as? NSNumber else { throw unexpected(result, "a number") }
    return count.intValue
  }

  func dictionaries(_ plan: DictionaryQuery) throws -> [[String: Any]] {
    guard contains(plan.rows.layout) else { return [] }
    let result = try execute(plan.rows, .dictionaryResultType)
    guard let rows = result as? [[String: Any]] else {
      throw unexpected(result, "an array of dictionaries")
    }
    return rows
  }

  func explain(_ read: ReadOperation) throws -> FetchExplanation {
    throw CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "a custom store cannot explain its requests")
  }

  // MARK: Values

  func rows(_ keys: [Int64], of layout: EntityLayout, _ body: (RowBatch) throws -> Void) throws {
    let context = try requireContext()
    for key in keys {
      // The object may belong to a subentity.
      let entity = context.registry[layout, key, origin]?.layout ?? layout
      let id = NSManagedObjectID(layout: entity, key: key, origin: origin)
      let node: NSIncrementalStoreNode
      do {
        node = try store.newValuesForObject(with: id, with: context)
      } catch let error where CoreDataError.isRowGone(error) {
        // The context handles missing rows.
        continue
      }
      var values = [StoredValue](repeating: .null, count: entity.slots.count)
      for slot in entity.slots where !slot.isTransient && slot.composite == nil {
        switch slot.kind {
        case .attribute:
          values[slot.index] = try ValueRows.stored(
            node.value(for: slot.property), slot, in: entity)
        case .toOne: values[slot.index] = try destination(of: slot, id, node, context)
        case .composite:
          let elements = try ValueRows.stored(
            elementsOf: node.value(for: slot.property), slot, in: entity)
          for (element, value) in elements { values[element] = value }
        case .toMany, .fetched: break
        }
      }
      let version = state.readVersion(of: key, Int32(truncatingIfNeeded: node.version))
      try body(state.rows(of: entity).batch(key: key, version: version, values))
    }
  }

  private func destination(
    of slot: PropertySlot, _ id: NSManagedObjectID, _ node: NSIncrementalStoreNode,
    _ context: NSManagedObjectContext
  ) throws -> StoredValue {
    guard let relationship = slot.property as? NSRelationshipDescription else { return .null }
    let value =
      try node.value(for: relationship)
      ?? store.newValue(forRelationship: relationship, forObjectWith: id, with: context)
    if value is NSNull { return .null }
    let (key, entity) = try destination(value, of: slot, id)
    return .reference(NSManagedObjectID(layout: entity, key: key, origin: origin))
  }

  /// Returns the key and entity of a destination that the store returned for a relationship of an object.
  private func destination(
    _ value: Any, of slot: PropertySlot, _ id: NSManagedObjectID
  ) throws -> (key: Int64, layout: EntityLayout) {
    guard let found = Self.row(of: value), let declared = slot.relationship?.destination else {
      throw unexpectedDestination("\(Swift.type(of: value))", slot, id)
    }
    guard let layout = declared.narrowed(to: found.layout) else {
      throw unexpectedDestination("an object of \(found.layout.name)", slot, id)
    }
    return (found.key, layout)
  }

  private func unexpectedDestination(
    _ found: String, _ slot: PropertySlot, _ id: NSManagedObjectID
  ) -> NSError {
    CoreDataError.make(
      NSPersistentStoreOperationError,
      "\(Swift.type(of: store)) returned \(found) for the relationship"
        + " \(id.layout.name).\(slot.name) of \(id) instead of IDs of"
        + " \(slot.relationship?.destination.name ?? "objects")")
  }

  func members(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owner: Int64, _ member: Int64, _ memberLayout: EntityLayout) throws -> Void
  ) throws {
    let context = try requireContext()
    let slot = layout.slots[slot]
    guard let relationship = slot.property as? NSRelationshipDescription else { return }
    for owner in owners {
      let id = NSManagedObjectID(layout: layout, key: owner, origin: origin)
      let value = try store.newValue(
        forRelationship: relationship, forObjectWith: id, with: context)
      let list: [Any]
      switch value {
      case let array as [Any]: list = array
      case let set as NSSet: list = set.allObjects
      case let set as NSOrderedSet: list = set.array
      case is NSNull: list = []
      default: throw unexpectedDestination("\(Swift.type(of: value))", slot, id)
      }
      for member in list {
        let (key, entity) = try destination(member, of: slot, id)
        try body(owner, key, entity)
      }
    }
  }

  // MARK: Saving

  func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64] {
    let ids = try store.obtainPermanentIDs(for: objects)
    func refusal(_ reason: String) -> NSError {
      CoreDataError.make(
        NSPersistentStoreOperationError,
        "\(Swift.type(of: store)).obtainPermanentIDs(for:) returned \(reason)")
    }
    guard ids.count == objects.count else {
      throw refusal("the wrong number of IDs: \(ids.count) for \(objects.count)")
    }
    if let foreign = ids.first(where: { $0.origin !== origin }) {
      throw refusal("the ID of another store: \(foreign)")
    }
    return ids.map(\.key)
  }

  func save(
    _ part: SavedObjects, from context: NSManagedObjectContext, _ build: () throws -> ChangeSet
  ) throws -> (changes: ChangeSet, outcome: SaveOutcome) {
    let restored = context.session.restoredObjects
    // An object that another context has already deleted needs no deletion.
    let deleted = part.deleted.filter { state.savedVersion(of: $0.key) != 0 }
    let conflicts = (part.updated + deleted + part.checked).compactMap {
      restored.contains($0) ? nil : conflict(of: $0)
    }
    if !conflicts.isEmpty { return (ChangeSet(), .conflicts(conflicts, isForeign: false)) }
    // As in Apple's Core Data, the store also receives a request without changes
    // (`IncrementalStoreTests`).
    let request = NSSaveChangesRequest(
      inserted: Set(part.inserted + part.updated.filter(restored.contains)),
      updated: Set(part.updated.filter { !restored.contains($0) }), deleted: Set(deleted),
      locked: Set(part.checked))
    request.affectedStores = [store]
    _ = try store.execute(request, with: context)
    // Apple documents this rule: versions begin with 1 and increase by one with each save.
    var changes = ChangeSet()
    // As in a SQLite store, changes to a to-many relationship's members do not change the version of its owner.
    changes.updated = part.updated.filter { $0.hasChangedRow || restored.contains($0) }.map {
      object in
      ChangeSet.Row(
        layout: object.layout, key: object.key, version: object.snapshot.version, values: [])
    }
    let versions = changes.updated.map { $0.version &+ 1 }
    state.setSavedVersions(
      zip(changes.updated, versions).map { ($0.key, $1) } + part.inserted.map { ($0.key, 1) }
        + part.deleted.map { ($0.key, 0) })
    return (
      changes, .saved(insertedVersions: part.inserted.map { _ in 1 }, updatedVersions: versions)
    )
  }

  /// Returns a conflict if another context of the coordinator has saved an object since this context read it; otherwise
  /// nil. The store detects and throws conflicts with other processes.
  private func conflict(of object: NSManagedObject) -> RowConflict? {
    let expected = object.snapshot.version
    guard let saved = state.savedVersion(of: object.key), saved == 0 || saved > expected else {
      return nil
    }
    return RowConflict(layout: object.layout, key: object.key, expectedVersion: expected)
  }
}
