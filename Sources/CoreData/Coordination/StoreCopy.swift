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
      // Each batch is one transaction, because the caller discards the target if copying fails.
      for layout in layouts {
        try forEachBatch(of: layout) { batch in
          var changes = ChangeSet()
          append(rowsOf: batch, layout, to: &changes)
          try target.save(changes).requireSaved()
        }
      }
      for layout in layouts {
        try forEachBatch(of: layout) { batch in
          let changes = try changes(linksOf: batch, layout)
          if !changes.isEmpty {
            try target.save(changes).requireSaved()
          }
        }
      }
      return
    }
    for layout in layouts {
      try forEachBatch(of: layout) { batch in
        for row in 0..<batch.count { rows.append((layout, batch.key(row))) }
      }
    }
    try copyKeys()
    var all = ChangeSet()
    for layout in layouts {
      try forEachBatch(of: layout) { batch in
        append(rowsOf: batch, layout, to: &all)
        all.links += try changes(linksOf: batch, layout).links
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

  private func forEachBatch(of layout: EntityLayout, _ body: (RowBatch) throws -> Void) throws {
    var plan = RowQuery(layout: layout)
    plan.includesSubentities = false
    var batches: [RowBatch] = []
    try source.fetch(plan, batchCapacity: RowBatch.maximumCount) { batches.append($0) }
    for batch in batches { try body(batch) }
  }

  private func append(rowsOf batch: RowBatch, _ layout: EntityLayout, to changes: inout ChangeSet) {
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
        if !value.isNull { values.append((slot, value)) }
      }
      // Objects in use keep their IDs with the keys, and expect the versions they were read with.
      changes.inserted.append(
        layout, key: key(batch.key(row), layout), values,
        version: keepsKeys ? batch.version(row) : 1)
    }
  }

  private func changes(linksOf batch: RowBatch, _ layout: EntityLayout) throws -> ChangeSet {
    var changes = ChangeSet()
    for slot in layout.toManySlots where !layout.slots[slot].isTransient {
      var members: [Int64: [Int64]] = [:]
      try source.members(
        of: slot, layout: layout, owners: (0..<batch.count).map(batch.key)
      ) { owner, member, memberLayout in
        members[owner, default: []].append(key(member, memberLayout))
      }
      for (owner, list) in members.sorted(by: { $0.key < $1.key }) {
        changes.links.append(
          ChangeSet.Link(
            layout: layout, slot: slot, key: key(owner, layout), added: list, removed: [],
            order: layout.slots[slot].relationship?.isOrdered == true ? list : nil))
      }
    }
    return changes
  }
}
