/// Copies all objects of one store to another of any type.
struct StoreCopy {
  let source: any StoreEngine
  let target: any StoreEngine
  let model: ModelLayout
  /// Whether the rows keep their keys. This requires a new target that numbers the rows of each table separately.
  let keepsKeys: Bool

  /// The new keys of the source's rows.
  private var keys: [RowKey: Int64] = [:]
  private var rows: [(layout: EntityLayout, old: Int64)] = []

  init(source: any StoreEngine, target: any StoreEngine, model: ModelLayout, keepsKeys: Bool) {
    self.source = source
    self.target = target
    self.model = model
    self.keepsKeys = keepsKeys
  }

  /// The old and new IDs of the objects, alternating.
  var changedIDs: [NSManagedObjectID] {
    if keepsKeys { return [] }
    return rows.flatMap { row in
      [
        NSManagedObjectID(layout: row.layout, key: row.old, origin: source.origin),
        NSManagedObjectID(layout: row.layout, key: key(row.old, row.layout), origin: target.origin),
      ]
    }
  }

  private var layouts: [EntityLayout] {
    model.entities.filter { source.contains($0) && target.contains($0) }
  }

  private func key(_ old: Int64, _ layout: EntityLayout) -> Int64 {
    keepsKeys ? old : keys[RowKey(layout, old, source.origin)] ?? old
  }

  mutating func run() throws {
    if keepsKeys {
      // Each part may be a transaction of its own, because the caller discards the target if copying fails.
      try saveParts { try append(rowsOf: $0, $1, to: &$2) }
      // A link needs the rows at both of its ends, so all rows are saved before the first link.
      try saveParts { $2.links += try links(of: $0, $1) }
      try reserveKeys()
      return
    }
    for layout in layouts {
      try forEachBatch(of: layout) { batch in
        for row in 0..<batch.count { rows.append((layout, batch.key(row))) }
      }
    }
    // All rows get their new keys before the first one is copied, because a row may refer to a row
    // that is copied later.
    try copyKeys()
    // One change set is one transaction. The target may contain other objects, and must be
    // unchanged if copying fails.
    var all = ChangeSet()
    for layout in layouts {
      try forEachBatch(of: layout) { batch in
        try append(rowsOf: batch, layout, to: &all)
        all.links += try links(of: batch, layout)
      }
    }
    try target.save(all).requireSaved()
  }

  private mutating func copyKeys() throws {
    var requests: [KeyRequest] = []
    var old: [[RowKey]] = []
    for row in rows {
      let rowKey = RowKey(row.layout, row.old, source.origin)
      if let index = requests.firstIndex(where: { $0.root === row.layout.root }) {
        requests[index].count += 1
        old[index].append(rowKey)
      } else {
        requests.append(KeyRequest(root: row.layout.root, count: 1))
        old.append([rowKey])
      }
    }
    for (rowKeys, new) in zip(old, try target.allocateKeys(requests)) {
      for (rowKey, key) in zip(rowKeys, new) { keys[rowKey] = key }
    }
  }

  /// Saves the changes that a closure adds for each batch of the source, in parts of a bounded size.
  private func saveParts(
    _ addChanges: (RowBatch, EntityLayout, inout ChangeSet) throws -> Void
  ) throws {
    var changes = ChangeSet()
    for layout in layouts {
      try forEachBatch(of: layout) { batch in
        try addChanges(batch, layout, &changes)
        if changes.inserted.count + changes.links.count < RowBatch.maximumCount { return }
        try target.save(changes).requireSaved()
        changes = ChangeSet()
      }
    }
    if !changes.isEmpty { try target.save(changes).requireSaved() }
  }

  /// Reserves the keys that the source has assigned, including those of deleted rows and of unsaved
  /// objects.
  private func reserveKeys() throws {
    var roots: [EntityLayout] = []
    for layout in layouts where !roots.contains(where: { $0 === layout.root }) {
      roots.append(layout.root)
    }
    for root in roots {
      // A request for no keys sets the counter to the greatest key of a row.
      let next = try target.allocateKeys([KeyRequest(root: root, count: 0)])[0].lowerBound
      // Without this, a new row could get the key of a deleted row or of an unsaved object, and would
      // be treated as that object (`MigratingStoresTests`).
      let unused = firstUnusedKey(of: root) ?? next
      if unused > next {
        _ = try target.allocateKeys([KeyRequest(root: root, count: Int(unused - next))])
      }
    }
  }

  /// Returns a key that is greater than all keys that the source has assigned; nil if the source cannot
  /// assign keys now.
  private func firstUnusedKey(of root: EntityLayout) -> Int64? {
    if let references = source.origin.references { return references.lastKey + 1 }
    if source.isReadOnly { return nil }
    // Uses up one key of the source, which is closed after the move. If this fails, the target
    // continues after its greatest key.
    return (try? source.allocateKeys([KeyRequest(root: root, count: 1)]))?.first?.lowerBound
  }

  private func forEachBatch(of layout: EntityLayout, _ body: (RowBatch) throws -> Void) throws {
    var plan = RowQuery(layout: layout)
    plan.includesSubentities = false
    var batches: [RowBatch] = []
    try source.fetch(plan, batchCapacity: RowBatch.maximumCount) { batches.append($0) }
    if !source.readsRowsTogether {
      // A fetch from a custom store returns keys only.
      let keys = batches.flatMap { batch in (0..<batch.count).map(batch.key) }
      batches = []
      try source.rows(keys, of: layout) { batches.append($0) }
    }
    for batch in batches { try body(batch) }
  }

  private func append(
    rowsOf batch: RowBatch, _ layout: EntityLayout, to changes: inout ChangeSet
  ) throws {
    for row in 0..<batch.count {
      let snapshot = RowSnapshot.row(batch, Int32(row))
      var values: [(slot: Int, value: StoredValue)] = []
      for slot in layout.attributeSlots + layout.toOneSlots where !layout.slots[slot].isTransient {
        var value = snapshot.value(of: layout.slots[slot], in: layout, origin: source.origin)
        if case .reference(let id) = value {
          value = .reference(
            NSManagedObjectID(
              layout: id.layout, key: key(id.key, id.layout), origin: target.origin))
        }
        if !value.isNull {
          values.append((slot, value))
        } else if snapshot.isExternal(layout.slots[slot], in: layout),
          snapshot.hasValue(of: layout.slots[slot], in: layout)
        {
          throw unreadable(
            layout.slots[slot],
            NSManagedObjectID(
              layout: layout, key: batch.key(row), origin: source.origin))
        }
      }
      // If rows keep their keys, objects in contexts keep their IDs and expect the versions of their rows.
      changes.inserted.append(
        layout, key: key(batch.key(row), layout), values,
        version: keepsKeys ? batch.version(row) : 1)
    }
  }

  /// Returns the error for a value whose file cannot be read. Without the error, the copy would have nil instead.
  private func unreadable(_ slot: PropertySlot, _ id: NSManagedObjectID) -> NSError {
    CoreDataError.make(
      NSPersistentStoreOperationError,
      "the objects cannot be moved: the file of the value \(id.layout.name).\(slot.name) of \(id)"
        + " cannot be read. Set the value to nil to move the object without it")
  }

  private func links(of batch: RowBatch, _ layout: EntityLayout) throws -> [ChangeSet.Link] {
    var links: [ChangeSet.Link] = []
    for slot in layout.toManySlots where !layout.slots[slot].isTransient {
      var members: [Int64: [Int64]] = [:]
      try source.members(
        of: slot, layout: layout, owners: (0..<batch.count).map(batch.key)
      ) { owner, member, memberLayout in
        members[owner, default: []].append(key(member, memberLayout))
      }
      // Sorted, because the order of a dictionary differs from run to run.
      for (owner, list) in members.sorted(by: { $0.key < $1.key }) {
        links.append(
          ChangeSet.Link(
            layout: layout, slot: slot, key: key(owner, layout), added: list, removed: [],
            order: layout.slots[slot].relationship?.isOrdered == true ? list : nil))
      }
    }
    return links
  }
}
