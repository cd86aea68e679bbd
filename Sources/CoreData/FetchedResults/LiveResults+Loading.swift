extension LiveResults {
  /// The stores that the request reads: those of `affectedStores`, or all. If there are several, only those that
  /// contain the request's entity are read.
  var stores: [NSPersistentStore] {
    let open = context.source?.rootCoordinator?.persistentStores ?? []
    let stores =
      members.includesAllStores ? open : open.filter { members.includes($0.engine.origin) }
    return stores.count > 1 ? stores.filter { $0.engine.contains(plan.layout) } : stores
  }

  /// The operation that `load` performs in each store.
  var read: ReadOperation {
    readsObjects ? .rows(plan.query) : .keys(plan.query, values: rowValues)
  }

  /// Whether loading creates all objects, because the results keep them or compute section names from them.
  var readsObjects: Bool {
    if case .computed = sections { true } else { keepsObjects }
  }

  /// The values to read for a row without an object: the sort values, followed by the value of the section key.
  var rowValues: [BoundExpression] { plan.sorts.map(\.key) + sections.values }

  /// Reads all rows. If it throws, the results do not change.
  ///
  /// - Parameter cacheName: The name of a cache, which is read if it is valid and written otherwise.
  /// - Throws: The errors of the store, and an error if the rows of a section are not contiguous.
  func load(cacheName: String? = nil) throws {
    context.adoptPermanentIDs()
    context.processPendingChanges()
    // IDs that become permanent while the rows are read are assigned to the rows of `self.tree`, which is still the
    // former tree. So the context also collects them for the new tree.
    let (tree, adopted) = try context.trackingPermanentIDs { try loadedTree(cacheName) }
    tree.adopt(adopted)
    replaceTree(by: tree)
  }

  private func loadedTree(_ cacheName: String?) throws -> ResultsTree {
    let tree = try cachedTree(cacheName) ?? freshTree(isReading: readsObjects)
    try requireGrouped(tree)
    if options.refreshes, !readsObjects {
      try refresh(
        context.registry.objects.filter {
          members.covers($0.layout) && tree.location(ofKey: $0.primaryKey, $0.origin) != nil
        })
    }
    if keepsObjects, !options.prefetched.isEmpty {
      let objects = tree.entries(in: 0..<tree.count).map { object(of: $0) }
      try context.prefetch(options.prefetched, of: objects, plan.layout)
    }
    return tree
  }

  /// Replaces the values of objects without unsaved changes with those of the store, if the request refreshes objects.
  private func refresh(_ objects: [NSManagedObject]) throws {
    guard options.refreshes else { return }
    try context.refreshRefetched(
      objects.filter { $0.flags.isDisjoint(with: [.inserted, .updated, .deleted, .inaccessible]) })
  }

  /// Returns the rows of a cache, with the context's unsaved changes applied; nil if the results have no cache. If
  /// the cache is missing or invalid, the method reads the rows, and writes the cache if they match the stored state.
  private func cachedTree(_ name: String?) throws -> ResultsTree? {
    guard let cache = name.flatMap({ ResultsCache($0, for: self) }), let state = cache.state else {
      return nil
    }
    let overlay = try context.overlay(plan)
    if let tree = cache.tree(state) {
      for object in overlay.excluded {
        if let location = tree.location(ofKey: object.primaryKey, object.origin) {
          tree.remove(at: location)
        }
      }
      for object in overlay.included { tree.insert(try row(of: object)) }
      return tree
    }
    let tree = try freshTree(isReading: false)
    // If another process saved while the rows were read, the rows may be from before or after its save.
    // A cache contains stored rows only, so there must not be unsaved changes either.
    if overlay.isEmpty, cache.state == state { cache.keep(tree, state) }
    return tree
  }

  /// Reads the rows from the stores and applies the context's unsaved changes.
  ///
  /// - Parameter isReading: Whether to read the rows' values into objects. Otherwise only keys and sort values are
  ///   read, and objects are created only if the results keep them or compute section names from them.
  func freshTree(isReading: Bool) throws -> ResultsTree {
    guard let source = context.source else { throw context.noCoordinator }
    let overlay = try context.overlay(plan)
    let stores = self.stores
    // A custom store may return rows with equal sort values in any order.
    let isOrdered =
      source.returnsSingleOrder(of: stores) && !stores.contains { $0.engine.receivesObjects }
    var collector = RowCollector(ResultsTree(form: tree.form), isOrdered: isOrdered)
    if isReading {
      // All objects are read before the first row is made. Following a key path needs a second connection, and
      // threads that each hold one connection and wait for another would deadlock.
      let objects = try source.readObjects(plan, from: stores, batchSize: 0, into: context)
      // The sort keys are computed from the objects, so these must be refreshed first.
      try refresh(objects)
      for object in objects where !overlay.excluded.contains(object) {
        collector.append(try row(of: object))
      }
    } else {
      try collectKeys(source, stores, overlay, &collector)
    }
    let tree = collector.finish()
    for object in overlay.included { tree.insert(try row(of: object)) }
    return tree
  }

  /// Collects the keys and sort values of the rows that no unsaved change excludes.
  private func collectKeys(
    _ source: any ObjectSource, _ stores: [NSPersistentStore], _ overlay: FetchOverlay,
    _ collector: inout RowCollector
  ) throws {
    let form = tree.form
    let isChild = context.isChild
    let excluded = isChild ? [] : Set(overlay.excluded.map(RowKey.init))
    func isExcluded(_ row: RowCursor) -> Bool {
      if !isChild { return excluded.contains(RowKey(row.layout, row.key, row.origin)) }
      // While a parent context is queried, temporary keys may become permanent, so compare objects instead.
      return context.registry[row.layout, row.key, row.origin]
        .map(overlay.excluded.contains) ?? false
    }
    var last: (value: StoredValue, section: Int)?
    func section(_ row: RowCursor) -> Int {
      guard case .stored(let path) = sections else { return names.number(of: "") }
      let value = row.value(form.count)
      // Rows of a section are usually adjacent.
      if let last, last.value == value { return last.section }
      let section = names.number(of: SectionSource.name(of: value, path))
      last = (value, section)
      return section
    }
    var unnamed: [(row: ResultRow, section: Int)] = []
    try source.readKeys(plan, values: rowValues, from: stores, for: context) { row in
      if !overlay.excluded.isEmpty, isExcluded(row) { return }
      if readsObjects {
        let number: Int
        if case .computed = sections { number = 0 } else { number = section(row) }
        unnamed.append((try ResultRow(row, form), number))
      } else {
        try collector.append(row, section: section(row), form)
      }
    }
    let objects = context.faults(of: unnamed.map(\.row.entry))
    for ((row, section), object) in zip(unnamed, objects) {
      var section = section
      if case .computed = sections { section = names.number(of: try sections.name(of: object)) }
      collector.append(row.with(section: section, object: keepsObjects ? object : nil))
    }
  }
}

/// Builds a tree from rows, which it sorts first if they arrive unordered.
private struct RowCollector {
  private let tree: ResultsTree
  private var builder: ResultsTree.Builder
  private let isOrdered: Bool
  private var unordered: [ResultRow] = []

  init(_ tree: ResultsTree, isOrdered: Bool) {
    self.tree = tree
    builder = ResultsTree.Builder(tree)
    self.isOrdered = isOrdered
  }

  mutating func append(_ row: ResultRow) {
    if isOrdered { builder.append(row) } else { unordered.append(row) }
  }

  mutating func append(_ row: RowCursor, section: Int, _ form: SortKeyForm) throws {
    if isOrdered {
      try builder.append(
        row.layout, row.origin, key: row.key, version: row.version, section: section, object: nil
      ) { try form.append(row, to: &$0) }
    } else {
      unordered.append(try ResultRow(row, form).with(section: section, object: nil))
    }
  }

  mutating func finish() -> ResultsTree {
    unordered.sort(by: tree.form.isBefore)
    for row in unordered { builder.append(row) }
    builder.finish()
    return tree
  }
}

extension SortKeyForm {
  /// Returns whether a row is ordered before another.
  func isBefore(_ left: ResultRow, _ right: ResultRow) -> Bool {
    let order = left.sortKey.withUnsafeBufferPointer { left in
      right.sortKey.withUnsafeBufferPointer { compare(left, $0) }
    }
    if order != 0 { return order < 0 }
    return RowOrder.compareIDs(
      left.entry.key, left.entry.origin.number, right.entry.key, right.entry.origin.number) < 0
  }
}

extension ResultRow {
  /// Creates a row from a cursor, without a section.
  init(_ row: RowCursor, _ form: SortKeyForm) throws {
    var bytes: [UInt8] = []
    try form.append(row, to: &bytes)
    entry = ResultEntry(
      layout: row.layout, origin: row.origin, key: row.key, section: 0, version: row.version,
      object: nil)
    sortKey = bytes
  }

  func with(section: Int, object: NSManagedObject?) -> ResultRow {
    ResultRow(
      entry: ResultEntry(
        layout: entry.layout, origin: entry.origin, key: entry.key, section: section,
        version: entry.version, object: object),
      sortKey: sortKey)
  }
}

extension NSManagedObjectContext {
  /// Returns the objects of rows. Those that do not exist yet are created as faults, in one group for each run of
  /// rows of the same store and table.
  fileprivate func faults(of rows: [ResultEntry]) -> [NSManagedObject] {
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(rows.count)
    var start = 0
    while start < rows.count {
      let first = rows[start]
      var end = start + 1
      while end < rows.count, rows[end].origin === first.origin,
        rows[end].layout.root === first.layout.root
      { end += 1 }
      objects += faults(
        rows[start..<end].map { ($0.key, $0.layout) }, of: first.layout.root, origin: first.origin)
      start = end
    }
    return objects
  }
}
