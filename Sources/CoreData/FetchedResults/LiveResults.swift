import Foundation

/// The results of a request, kept up to date with the changes of a context.
final class LiveResults {
  let plan: FetchPlan
  let sections: SectionSource
  let context: NSManagedObjectContext
  /// Rows are read this many at a time; 0 keeps all objects in use.
  let batchSize: Int
  let tree: ResultsTree
  var names = SectionNames()
  /// By number of the section's name.
  private var rowCounts: [Int: Int] = [:]
  private(set) var entries: [RowKey: ResultEntry] = [:]
  private let dependencies: [RelationshipDependency]
  /// The objects around the row that was touched last.
  private var heldBatch: [NSManagedObject] = []
  let window: Window

  /// Names a row across the entities of one table.
  struct RowKey: Hashable {
    let root: Int
    let key: Int64
    let origin: ObjectIdentifier

    init(_ layout: EntityLayout, _ key: Int64, _ origin: StoreOrigin) {
      root = layout.root.index
      self.key = key
      self.origin = ObjectIdentifier(origin)
    }

    init(_ entry: ResultEntry) { self.init(entry.layout, entry.values.key, entry.origin) }
  }

  /// The part of the rows that is shown: the request's offset and limit.
  struct Window {
    let offset: Int
    let limit: Int
    var isAll: Bool { offset == 0 && limit == 0 }

    func ranks(of count: Int) -> Range<Int> {
      let start = min(offset, count)
      return start..<(limit == 0 ? count : min(start + limit, count))
    }
  }

  init(
    plan: FetchPlan, sections: SectionSource, context: NSManagedObjectContext, batchSize: Int
  ) {
    var plan = plan
    window = Window(offset: plan.offset, limit: plan.limit)
    plan.offset = 0
    plan.limit = 0
    self.plan = plan
    self.sections = sections
    self.context = context
    self.batchSize = batchSize
    tree = ResultsTree(order: RowOrder(sorts: plan.sorts))
    var dependencies = plan.dependencies
    if case .stored(let path) = sections {
      var sectionPlan = FetchPlan(layout: plan.layout)
      sectionPlan.sorts = [BoundSort(key: .property(path), ascending: true, comparison: .literal)]
      dependencies += sectionPlan.dependencies
    }
    self.dependencies = dependencies
  }

  // MARK: Fetching

  /// Whether objects are kept with their rows.
  var keepsObjects: Bool { batchSize == 0 && window.isAll }

  /// What `load` asks each store for.
  var read: StoreRead { keepsObjects ? .rows(plan) : .keys(plan, values: rowValues) }

  /// What is read of a row whose object is not kept: the sort values, then the section's.
  var rowValues: [BoundExpression] {
    var values = plan.sorts.map(\.key)
    if case .stored(let path) = sections { values.append(.property(path)) }
    return values
  }

  /// Reads all rows.
  ///
  /// - Throws: also when rows of one section are not next to each other.
  func load() throws {
    guard let source = context.source else { throw context.noCoordinator }
    context.takeOverIdentities()
    context.processPendingChanges()
    let overlay = try context.overlay(plan)
    let stores = source.rootCoordinator?.persistentStores ?? []
    var rows =
      keepsObjects
      ? try objectRows(source, stores, overlay) : try keyRows(source, stores, overlay)
    try finish(&rows, overlay, source, stores)
    take(rows)
  }

  /// Puts the rows of the stores and those that unsaved changes add into their order.
  func finish(
    _ rows: inout [ResultEntry], _ overlay: FetchOverlay, _ source: any ObjectSource,
    _ stores: [NSPersistentStore]
  ) throws {
    let order = RowOrder(sorts: plan.sorts)
    // The tree finds rows by their order. A program's own store gives rows of equal rank as it likes.
    let isOrdered =
      source.givesOneOrder(of: stores) && !stores.contains { $0.engine is any ObjectStoreEngine }
    if !overlay.included.isEmpty || !isOrdered {
      rows += try overlay.included.map(entry)
      rows.sort { order.compare($0.values, $1.values) < 0 }
    }
    try requireGroupedSections(rows)
  }

  /// Takes all rows, in order, in the place of what was there.
  func take(_ rows: [ResultEntry]) {
    entries = [:]
    rowCounts = [:]
    entries.reserveCapacity(rows.count)
    for row in rows { add(row) }
    tree.build(rows)
  }

  private func add(_ entry: ResultEntry) {
    entries[RowKey(entry)] = entry
    rowCounts[entry.section, default: 0] += 1
  }

  /// How many rows a section has, by the number of its name.
  func rowCount(ofSection number: Int) -> Int { rowCounts[number] ?? 0 }

  private func objectRows(
    _ source: any ObjectSource, _ stores: [NSPersistentStore], _ overlay: FetchOverlay
  ) throws -> [ResultEntry] {
    // First all objects: reading what a key path leads to takes a second connection, and threads
    // that each hold one and wait for another would wait for ever.
    try source.readObjects(plan, from: stores, batchSize: 0, into: context)
      .filter { !overlay.excluded.contains($0) }.map(entry)
  }

  /// Keys and sort values only; no object is made.
  func keyRows(
    _ source: any ObjectSource, _ stores: [NSPersistentStore], _ overlay: FetchOverlay
  ) throws -> [ResultEntry] {
    var rows: [ResultEntry] = []
    try forEachStoredRow(source, stores, overlay) { row in
      let name: String
      switch sections {
      case .none: name = ""
      case .stored(let path): name = SectionSource.name(of: row.values[row.values.count - 1], path)
      case .computed:
        name = try sections.name(
          of: context.object(row.layout, key: row.key, origin: row.origin, .none))
      }
      rows.append(entry(row, section: names.number(of: name), object: nil))
    }
    return rows
  }

  /// Gives the keys and `rowValues` of the rows that the stores have and that no unsaved change excludes.
  func forEachStoredRow(
    _ source: any ObjectSource, _ stores: [NSPersistentStore], _ overlay: FetchOverlay,
    _ body: (RowKeys) throws -> Void
  ) throws {
    let excluded = Set(overlay.excluded.map { RowKey($0.layout, $0.key, $0.origin) })
    try source.readKeys(plan, values: rowValues, from: stores, for: context) { row in
      if excluded.isEmpty || !excluded.contains(RowKey(row.layout, row.key, row.origin)) {
        try body(row)
      }
    }
  }

  func entry(_ row: RowKeys, section: Int, object: NSManagedObject?) -> ResultEntry {
    ResultEntry(
      layout: row.layout, origin: row.origin,
      values: SortValues(
        values: Array(row.values.prefix(plan.sorts.count)), key: row.key,
        store: row.origin.number),
      section: section, version: row.version, object: object)
  }

  private func entry(_ object: NSManagedObject) throws -> ResultEntry {
    ResultEntry(
      layout: object.layout, origin: object.origin,
      values: try SortValues(of: object, by: plan.sorts),
      section: names.number(of: try sections.name(of: object)),
      version: object.snapshot.version, object: keepsObjects ? object : nil)
  }

  private func requireGroupedSections(_ rows: [ResultEntry]) throws {
    var lastOfSection: [Int: ResultEntry] = [:]
    var current = -1
    for row in rows {
      if row.section != current, let earlier = lastOfSection[row.section] {
        throw CoreDataError.badRequest(
          "the rows of section \"\(names.name(row.section))\" are not next to each other:"
            + " \(earlier.id) and \(row.id); the first sort descriptor must group the rows as the"
            + " section key path does")
      }
      current = row.section
      lastOfSection[row.section] = row
    }
  }

  // MARK: Changes

  /// Takes a context's changes in; tells what they did to the results.
  func apply(_ changes: ObjectChanges) throws -> ResultsDelta {
    if changes.isReset { return removeAll() }
    var candidates = ChangeList()
    var changed: Set<NSManagedObject> = []
    for object in changes.inserted + changes.updated + changes.deleted
    where plan.covers(object.layout) {
      candidates.insert(object)
      changed.insert(object)
    }
    for dependency in dependencies {
      for object in changes.inserted + changes.updated + changes.deleted
      where object.layout.isKind(of: dependency.end) {
        for root in try dependency.roots(of: object) where plan.covers(root.layout) {
          candidates.insert(root)
        }
      }
    }
    return try apply(
      candidates.map { object in
        Candidate(
          object: object,
          old: entries[RowKey(object.layout, object.identifiedKey, object.origin)],
          isChanged: changed.contains(object))
      })
  }

  /// Unsaved objects got their keys, by which rows that are otherwise equal are ordered.
  func identify(_ keys: [(object: NSManagedObject, temporary: Int64)]) throws -> ResultsDelta {
    try apply(
      keys.compactMap { object, temporary in
        entries[RowKey(object.layout, temporary, .temporary)].map {
          Candidate(object: object, old: $0, isChanged: false)
        }
      })
  }

  /// A row that may be other than before.
  struct Candidate {
    let object: NSManagedObject
    let old: ResultEntry?
    /// Whether the object itself changed, rather than one that it refers to.
    let isChanged: Bool
  }

  private func removeAll() -> ResultsDelta {
    var delta = ResultsDelta()
    for rank in 0..<shown.count {
      guard let entry = tree.entry(at: shown.lowerBound + rank) else { continue }
      delta.deleted.append(
        ResultsDelta.Row(subject: RowSubject(object(of: entry), entry), path: path(rank)))
    }
    for index in 0..<(hasSections ? sectionCount : 0) {
      delta.deletedSections.append(ResultsDelta.Section(index: index, name: sectionName(index)))
    }
    entries = [:]
    rowCounts = [:]
    tree.build([])
    delta.sort()
    return delta
  }

  private func apply(_ candidates: [Candidate]) throws -> ResultsDelta {
    var recorder = DeltaRecorder(results: self)
    var leaving: [ResultEntry] = []
    var arriving: [ResultEntry] = []
    // Merged objects are faults whose rows are read together.
    try context.readRows(
      of: candidates.map(\.object).filter {
        $0.flags.contains(.fault) && !$0.flags.contains(.deleted) && $0.unsafeContext === context
      })
    for candidate in candidates {
      var isMember =
        !candidate.object.flags.contains(.deleted) && candidate.object.unsafeContext === context
        && !candidate.object.hasLostItsRow
      if isMember { isMember = try plan.matches(candidate.object) }
      let new = isMember ? try entry(candidate.object) : nil
      switch (candidate.old, new) {
      case (nil, nil): continue
      case (let old?, let new?)
      where new.section == old.section && isSamePlace(old.values, new.values):
        if new.version != 0 { old.version = new.version }
        if candidate.isChanged { recorder.stays(candidate.object, old) }
      case (let old, let new):
        recorder.changes(candidate.object, old: old, new: new, isChanged: candidate.isChanged)
        if let old { leaving.append(old) }
        if let new { arriving.append(new) }
      }
    }
    if recorder.isEmpty { return ResultsDelta() }
    recorder.willChange()
    for entry in leaving {
      entries.removeValue(forKey: RowKey(entry))
      rowCounts[entry.section, default: 1] -= 1
      tree.remove(entry)
    }
    for entry in arriving {
      add(entry)
      tree.insert(entry)
    }
    return recorder.delta()
  }

  func isSamePlace(_ old: SortValues, _ new: SortValues) -> Bool {
    old.key == new.key && old.store == new.store
      && zip(old.values, new.values).allSatisfy { $0 == $1 }
  }

  // MARK: Reading

  /// The ranks of the tree that are shown.
  var shown: Range<Int> { window.ranks(of: tree.count) }

  var count: Int { shown.count }

  var sectionCount: Int {
    if window.isAll { return hasSections ? tree.sectionCount : 1 }
    guard hasSections else { return 1 }
    guard !shown.isEmpty else { return 0 }
    return tree.section(ofRank: shown.upperBound - 1) - tree.section(ofRank: shown.lowerBound) + 1
  }

  /// Without a section key path there is one section, also of an empty result.
  var hasSections: Bool { if case .none = sections { false } else { true } }

  /// The first of the tree's sections that is shown.
  private var firstSection: Int {
    shown.isEmpty || window.offset == 0 ? 0 : tree.section(ofRank: shown.lowerBound)
  }

  /// The ranks of a section's rows.
  func ranks(ofSection section: Int) -> Range<Int> {
    guard hasSections else { return shown }
    let first = firstSection + section
    let all = tree.start(ofSection: first)..<tree.start(ofSection: first + 1)
    return all.clamped(to: shown)
  }

  func sectionName(_ section: Int) -> String {
    guard let entry = tree.entry(at: ranks(ofSection: section).lowerBound) else { return "" }
    return names.name(entry.section)
  }

  /// The place of a shown row, by its number among the shown rows.
  func path(_ number: Int) -> ResultPath { path(ofRank: shown.lowerBound + number) }

  func path(ofRank rank: Int) -> ResultPath {
    guard hasSections else { return ResultPath(section: 0, row: rank - shown.lowerBound) }
    let section = tree.section(ofRank: rank)
    let start = max(tree.start(ofSection: section), shown.lowerBound)
    return ResultPath(section: section - firstSection, row: rank - start)
  }

  /// The rank of an object's row; nil when it is no result or not shown.
  func rank(of object: NSManagedObject) -> Int? {
    guard let entry = entries[RowKey(object.layout, object.identifiedKey, object.origin)] else {
      return nil
    }
    let rank = tree.rank(of: entry.values)
    return shown.contains(rank) ? rank : nil
  }

  /// The object of a row. With a batch size the rows around it are read with it.
  func object(of entry: ResultEntry) -> NSManagedObject {
    if let object = entry.object { return object }
    return context.object(with: entry.id)
  }

  /// The object of a row, read with the rows around it where they are read together.
  func object(withNeighbours entry: ResultEntry) -> NSManagedObject {
    if let object = entry.object { return object }
    if batchSize > 0, entries[RowKey(entry)] != nil,
      let object = object(atRank: tree.rank(of: entry.values))
    {
      return object
    }
    return context.object(with: entry.id)
  }

  func object(atRank rank: Int) -> NSManagedObject? {
    guard let entry = tree.entry(at: rank) else { return nil }
    if let object = entry.object { return object }
    if let known = context.registeredObject(for: entry.id) {
      switch known.snapshot {
      case .row, .values, .pending: return known
      case .none: break
      }
    }
    guard batchSize > 0, entry.values.key > 0 else { return context.object(with: entry.id) }
    let start = rank - rank % batchSize
    let around = tree.entries(in: start..<min(start + batchSize, tree.count))
      .filter { $0.values.key > 0 && $0.origin === entry.origin }
    // Held until another batch is touched, so that the rows that are read together are kept
    // together.
    let group = FaultGroup(layout: plan.layout, keys: around.map(\.values.key))
    heldBatch = around.map {
      context.object($0.layout, key: $0.values.key, origin: $0.origin, .pending(group))
    }
    return context.object(with: entry.id)
  }
}
