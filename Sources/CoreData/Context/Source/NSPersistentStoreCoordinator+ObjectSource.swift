/// A coordinator reads its stores one after the other.
extension NSPersistentStoreCoordinator: ObjectSource {
  var sourceLayouts: ModelLayout? { layouts }
  var rootCoordinator: NSPersistentStoreCoordinator? { self }

  func returnsSingleOrder(of stores: [NSPersistentStore]) -> Bool { stores.count <= 1 }

  func readObjects(
    _ plan: FetchPlan, from stores: [NSPersistentStore], batchSize: Int,
    into requester: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    try read(plan.query, stores, requester) {
      try rowObjects(plan, of: stores, batchSize: batchSize, into: requester)
    } byObjects: {
      try $0.flatMap { try $0.objects(plan.query) }
    }
  }

  /// Makes the objects of the rows that stores return.
  func rowObjects(
    _ plan: FetchPlan, of stores: [NSPersistentStore], batchSize: Int = 0,
    into requester: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    var objects: [NSManagedObject] = []
    let query = plan.query
    let capacity = query.limit > 0 ? query.limit : RowBatch.maximumCount
    for store in stores {
      let origin = store.engine.origin
      let engine = try requester.engine(of: store)
      // A custom store reads row by row: a group would make it read rows that are not needed.
      let groupSize =
        !engine.readsRowsTogether ? 1 : batchSize > 0 ? batchSize : RowBatch.maximumCount
      func append(_ batch: RowBatch) {
        if query.fetchesValues, engine.readsRowsTogether {
          requester.appendObjects(of: batch, plan.layout, origin, to: &objects)
        } else {
          for start in stride(from: 0, to: batch.count, by: groupSize) {
            let rows = start..<min(start + groupSize, batch.count)
            let group = FaultGroup(layout: plan.layout, keys: rows.map { batch.key($0) })
            requester.appendObjects(
              of: batch, rows: rows, plan.layout, origin, pending: group, to: &objects)
          }
        }
      }
      if let batches = plan.preread?.rows(of: origin, query) {
        for batch in batches { append(batch) }
      } else {
        try engine.fetch(query, batchCapacity: capacity, append)
      }
    }
    return objects
  }

  func readKeys(
    _ plan: FetchPlan, values: [BoundExpression], from stores: [NSPersistentStore],
    for requester: NSManagedObjectContext, _ body: (RowCursor) throws -> Void
  ) throws {
    try read(plan.query, stores, requester) {
      for store in stores {
        try requester.engine(of: store).fetchKeys(plan.query, values: values, body)
      }
    } byObjects: {
      for answers in $0 { try answers.fetchKeys(plan.query, values: values, body) }
    }
  }

  func countRows(
    _ plan: FetchPlan, in stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> Int {
    let query = plan.query
    // Limit and offset apply to the rows of all stores together.
    var all = query
    if stores.count > 1 { (all.limit, all.offset) = (0, 0) }
    let rows = try read(query, stores, requester) {
      try stores.reduce(0) { try $0 + requester.engine(of: $1).count(all) }
    } byObjects: {
      try $0.reduce(0) { try $0 + $1.count(all) }
    }
    if stores.count == 1 { return rows }
    let rest = max(0, rows - query.offset)
    return query.limit > 0 ? min(query.limit, rest) : rest
  }

  func readDictionaries(
    _ plan: DictionaryPlan, from stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> [[String: Any]] {
    let engines = try stores.map(requester.engine)
    return try read(plan.rows.query, stores, requester) {
      try plan.query.dictionaries(in: engines)
    } byObjects: {
      try StoreKind.sqlite.dictionaries(plan.query, gatheredFrom: $0)
    }
  }

  func countDictionaries(
    _ plan: DictionaryPlan, in stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> Int {
    if !plan.collapsesRows { return try countRows(plan.rows, in: stores, for: requester) }
    let engines = try stores.map(requester.engine)
    return try read(plan.rows.query, stores, requester) {
      try plan.query.count(in: engines)
    } byObjects: {
      try StoreKind.sqlite.count(plan.query, gatheredFrom: $0)
    }
  }

  /// Reads from the engines of stores, or scans their objects if the engines cannot evaluate the query.
  ///
  /// Trying the engines first is safe, because an engine refuses a query before it has read anything.
  private func read<Result>(
    _ query: RowQuery, _ stores: [NSPersistentStore], _ requester: NSManagedObjectContext,
    byRows: () throws -> Result, byObjects: ([ObjectScan]) throws -> Result
  ) throws -> Result {
    // An engine that does not leave queries to objects evaluates every query, or throws an error that the program needs
    // to see.
    guard stores.allSatisfy(\.engine.leavesRestToObjects) else { return try byRows() }
    if !query.needsObjects {
      do {
        return try byRows()
      } catch let error where StatementLimit.isCause(of: error) {
        // The query is too large for an SQL statement. Evaluation on objects has no such limit.
      }
    }
    return try byObjects(
      stores.map { ObjectScan(coordinator: self, store: $0, requester: requester) })
  }

  func readRows(of objects: [NSManagedObject], in requester: NSManagedObjectContext) throws {
    guard let first = objects.first else { return }
    let root = first.layout.root
    if objects.allSatisfy({ $0.origin === first.origin && $0.layout.root === root }) {
      return try readRows(of: objects, root, in: requester)
    }
    let byRoot = Dictionary(grouping: objects) {
      [ObjectIdentifier($0.origin), ObjectIdentifier($0.layout.root)]
    }
    for group in byRoot.values { try readRows(of: group, group[0].layout.root, in: requester) }
  }

  /// Reads the rows of objects that belong to one table of one store.
  private func readRows(
    of objects: [NSManagedObject], _ root: EntityLayout, in requester: NSManagedObjectContext
  ) throws {
    guard let store = objects[0].origin.store else { return }
    let engine = try requester.engine(of: store)
    // The most common case, a single fault, needs no lookup of keys.
    if objects.count == 1 {
      return try engine.rows([objects[0].key], of: root) {
        objects[0].state.rowWasRead(.row($0, 0))
      }
    }
    let keys = objects.map(\.key)
    // Rows usually arrive in the order of the keys; the others are looked up.
    var next = 0
    var others: [Int64: Int]?
    try engine.rows(keys, of: root) { batch in
      for row in 0..<batch.count {
        let key = batch.key(row)
        if next < keys.count, keys[next] == key {
          objects[next].state.rowWasRead(.row(batch, Int32(row)))
          next += 1
        } else {
          let places = others ?? Dictionary(zip(keys, keys.indices)) { $1 }
          others = places
          guard let place = places[key] else { continue }
          objects[place].state.rowWasRead(.row(batch, Int32(row)))
          // The rows after this one are probably in order again.
          next = place + 1
        }
      }
    }
  }

  func readMembers(
    of slot: Int, owners: [NSManagedObject], in requester: NSManagedObjectContext
  ) throws -> [RowKeyRuns] {
    var members = [RowKeyRuns](repeating: RowKeyRuns(), count: owners.count)
    let groups = Dictionary(grouping: owners.indices) {
      [ObjectIdentifier(owners[$0].origin), ObjectIdentifier(owners[$0].layout)]
    }
    for group in groups.values {
      let first = owners[group[0]]
      guard let store = first.origin.store else { continue }
      let origin = store.engine.origin
      var places: [Int64: Int] = [:]
      for index in group { places[owners[index].key] = index }
      try requester.engine(of: store).members(
        of: slot, layout: first.layout, owners: Array(places.keys)
      ) {
        if let place = places[$0] { members[place].append($1, $2, origin) }
      }
    }
    return members
  }

  func readMemberRows(
    of slot: Int, owners: [NSManagedObject], in requester: NSManagedObjectContext
  ) throws -> [MemberRows]? {
    guard let first = owners.first, let store = first.origin.store,
      let destination = first.layout.slots[slot].relationship?.destination,
      // One statement reads one relationship of one entity in one store.
      owners.allSatisfy({ $0.origin === first.origin && $0.layout === first.layout })
    else { return nil }
    let engine = try requester.engine(of: store)
    var places: [Int64: Int] = [:]
    for (place, owner) in owners.enumerated() { places[owner.key] = place }
    var members = [MemberRows](
      repeating: MemberRows(root: destination, origin: engine.origin), count: owners.count)
    let isDone = try engine.memberRows(of: slot, layout: first.layout, owners: owners.map(\.key)) {
      keys, batch in
      // Rows of one owner are usually adjacent.
      var start = 0
      while start < keys.count {
        var end = start + 1
        while end < keys.count, keys[end] == keys[start] { end += 1 }
        if let place = places[keys[start]] { members[place].append(start..<end, of: batch) }
        start = end
      }
    }
    return isDone ? members : nil
  }

  func mayHaveRow(of id: NSManagedObjectID, for requester: NSManagedObjectContext) -> Bool {
    id.key > 0 && persistentStores.contains { $0.engine.origin === id.origin }
  }

  // MARK: Saving

  func assignPermanentIDs(
    to objects: [NSManagedObject], for requester: NSManagedObjectContext
  ) throws -> [PermanentIDAssignment] {
    var assignments: [PermanentIDAssignment] = []
    for (store, group) in try storesForInserting(objects) {
      if let engine = store.engine as? any ObjectStoreEngine {
        for (object, key) in zip(group, try engine.permanentKeys(for: group)) {
          assignments.append(
            PermanentIDAssignment(
              layout: object.layout, temporary: object.primaryKey, key: key,
              origin: engine.origin))
        }
        continue
      }
      var requests: [KeyRequest] = []
      var members: [[NSManagedObject]] = []
      for object in group {
        if let index = requests.firstIndex(where: { $0.root === object.layout.root }) {
          requests[index].count += 1
          members[index].append(object)
        } else {
          requests.append(KeyRequest(root: object.layout.root, count: 1))
          members.append([object])
        }
      }
      let keys = try store.engine.allocateKeys(requests)
      for (objects, keys) in zip(members, keys) {
        for (object, key) in zip(objects, keys) {
          assignments.append(
            PermanentIDAssignment(
              layout: object.layout, temporary: object.primaryKey, key: key,
              origin: store.engine.origin))
        }
      }
    }
    return assignments
  }

  func requireSavable() throws {
    if persistentStores.isEmpty {
      throw CoreDataError.badRequest(
        "This NSManagedObjectContext's persistent store coordinator has no persistent stores. It"
          + " cannot perform a save operation.")
    }
  }

  func save(_ context: NSManagedObjectContext, _ saved: inout SavedObjects) throws {
    var operation = SaveOperation(context: context, coordinator: self)
    // The saved objects are returned even if a later store fails, because the context must not save again what an
    // earlier store has written.
    defer { saved = operation.saved }
    try operation.run()
  }

  func didSave(_ saved: SavedObjects, by context: NSManagedObjectContext) {
    contexts.mergeSave(saved, exceptIn: context)
  }
}
