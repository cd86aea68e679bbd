extension LiveResults {
  /// The stores that the request reads: those that it names, or all, as far as they keep its entity.
  var stores: [NSPersistentStore] {
    let open = context.source?.rootCoordinator?.persistentStores ?? []
    let stores =
      members.includesAllStores ? open : open.filter { members.includes($0.engine.origin) }
    return stores.count > 1 ? stores.filter { $0.engine.contains(plan.layout) } : stores
  }

  /// What `load` asks each store for.
  var read: ReadOperation {
    readsObjects ? .rows(plan.query) : .keys(plan.query, values: rowValues)
  }

  /// Whether all objects are made to be in the result: where they are kept, or name the sections.
  var readsObjects: Bool {
    if case .computed = sections { true } else { keepsObjects }
  }

  /// What is read of a row whose object is not kept: the sort values, then the section's.
  var rowValues: [BoundExpression] { plan.sorts.map(\.key) + sections.values }

  /// Reads all rows. Where it throws, nothing changes.
  ///
  /// - Parameter cacheName: the name of a cache, which is used where it is valid, else made.
  /// - Throws: also when rows of one section are not next to each other.
  func load(cacheName: String? = nil) throws {
    context.adoptPermanentIDs()
    context.processPendingChanges()
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

  /// Takes the store's values over for those of some objects that have no unsaved changes.
  private func refresh(_ objects: [NSManagedObject]) throws {
    guard options.refreshes else { return }
    try context.refreshRefetched(
      objects.filter { $0.flags.isDisjoint(with: [.inserted, .updated, .deleted, .inaccessible]) })
  }

  /// The rows that a cache has or will have, with the context's unsaved changes; nil without a cache.
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
    // Rows that were read while somebody saved may be of either state.
    if overlay.isEmpty, cache.state == state { cache.keep(tree, state) }
    return tree
  }

  /// The rows as the stores have them, with the context's unsaved changes.
  ///
  /// - Parameter isReading: whether the rows' values are read, into objects. Else keys are, and objects
  ///   made of them only where the results keep them.
  func freshTree(isReading: Bool) throws -> ResultsTree {
    guard let source = context.source else { throw context.noCoordinator }
    let overlay = try context.overlay(plan)
    let stores = self.stores
    // A program's own store gives rows of equal rank as it likes.
    let isOrdered =
      source.returnsSingleOrder(of: stores)
      && !stores.contains { $0.engine is any ObjectStoreEngine }
    var collector = RowCollector(ResultsTree(form: tree.form), isOrdered: isOrdered)
    if isReading {
      // First all objects: reading what a key path leads to takes a second connection, and threads
      // that each hold one and wait for another would wait for ever.
      let objects = try source.readObjects(plan, from: stores, batchSize: 0, into: context)
      // Rows are put in order by what their objects say.
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

  /// Takes the keys and sort values of the rows that no unsaved change excludes.
  private func collectKeys(
    _ source: any ObjectSource, _ stores: [NSPersistentStore], _ overlay: FetchOverlay,
    _ collector: inout RowCollector
  ) throws {
    let form = tree.form
    let isChild = context.isChild
    let excluded = isChild ? [] : Set(overlay.excluded.map(RowKey.init))
    func isExcluded(_ row: RowCursor) -> Bool {
      if !isChild { return excluded.contains(RowKey(row.layout, row.key, row.origin)) }
      // Keys may become other ones while a parent is asked; objects stay.
      return context.registry[row.layout, row.key, row.origin]
        .map(overlay.excluded.contains) ?? false
    }
    var last: (value: StoredValue, section: Int)?
    func section(_ row: RowCursor) -> Int {
      guard case .stored(let path) = sections else { return names.number(of: "") }
      let value = row.value(form.count)
      // Rows of one section mostly follow each other.
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

/// Puts rows into a tree, as they come where they come in order.
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
  /// Whether a row comes before another.
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
  /// A row that was read, of no section yet.
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
  /// Objects for rows, those of one store and table that are not in use in groups.
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
