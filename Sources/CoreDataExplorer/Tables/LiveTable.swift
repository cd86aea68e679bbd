import CoreData
import StoreInspection
import Synchronization

/// The rows of one query, kept up to date by a fetched results controller that all its clients share.
///
/// The first page does not wait for the controller, which reads the keys of all rows: until they are read, each page
/// is fetched by its offset.
///
/// Each report is encoded once for each choice of columns and sent to all clients by a ``Broadcast``. Pages and reports
/// contain the version of the result that they belong to, so that a client combines only rows of one version.
///
/// Mutable state that has no mutex is used only on the context's queue. Each table has its own context, so that a slow
/// query does not delay other queries. Only if one of the entities of ``reach`` has unsaved changes does the table use
/// the context of the edits: see ``move(to:)``.
final class LiveTable: @unchecked Sendable {
  let query: TableQuery
  private let entity: NSEntityDescription
  private let home: Mutex<Home>
  /// The entities whose rows determine which rows the table has, and their order.
  let reach: EntityReach
  private var controller: NSFetchedResultsController<NSManagedObject>
  /// Clients by the columns that they show.
  private let audiences = Mutex<[[String]: Audience]>([:])
  private var observation: FetchedResultsObservation?
  private var isReady = false
  /// A copy of ``isReady`` for code on other queues.
  private let hasRows = Mutex(false)
  private var version = 0
  /// The first version of the newest result of any table. Results never share versions: otherwise, a page could treat
  /// the rows of an old result as current.
  private static let epochs = Mutex(0)
  private static let epochLength = 1 << 20
  /// How many requests keep the table open: those that read a page, or that are about to read the table's events.
  private let joining = Mutex(0)
  private var starts = SectionStarts()
  private var labelKeys = LabelKeys()
  /// Whether the table uses its own context.
  private var isAlone: Bool
  /// Descriptions of the columns that were shown, by title.
  private var shownColumns: [String: TableColumn] = [:]
  /// Whether fetches include property values; false if rows may have binary data.
  private let areRead: Bool
  /// The attribute that dragging rows changes.
  private let orderKey: String?

  /// Returns the context with the unsaved changes if they affect one of the given entities; otherwise nil.
  private let unsaved: @Sendable (EntityReach) -> NSManagedObjectContext?

  private struct Home {
    var context: NSManagedObjectContext
    /// Whether the table is moving to another context; it has no rows until it has moved.
    var isMoving = false
  }

  private struct Audience {
    let columns: [ResultColumn]
    let broadcast = Broadcast()
  }

  private let limits: QueryLimits

  /// - Throws: Errors in the query.
  init(
    _ query: TableQuery, of entity: NSEntityDescription, in context: NSManagedObjectContext,
    isAlone: Bool, reach: EntityReach, _ limits: QueryLimits,
    unsaved: @escaping @Sendable (EntityReach) -> NSManagedObjectContext?
  ) throws {
    self.reach = reach
    self.unsaved = unsaved
    self.limits = limits
    self.query = query
    self.entity = entity
    home = Mutex(Home(context: context))
    self.isAlone = isAlone
    controller = try Self.controller(query, entity, context)
    areRead = LargeValueRows.hasNoBinaryAttributes(in: entity)
    orderKey = query.orderKey(of: entity)
  }

  private static func controller(
    _ query: TableQuery, _ entity: NSEntityDescription, _ context: NSManagedObjectContext
  ) throws -> NSFetchedResultsController<NSManagedObject> {
    let request = try query.request(of: entity, in: context.persistentStoreCoordinator)
    request.fetchBatchSize = 100
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: query.section,
      cacheName: nil)
  }

  var context: NSManagedObjectContext { home.withLock { $0.context } }

  private func isHome(_ context: NSManagedObjectContext) -> Bool {
    home.withLock { !$0.isMoving && $0.context === context }
  }

  /// How many clients read the table's events, and how many requests keep the table open.
  var clientCount: Int {
    joining.withLock { $0 } + audiences.withLock { $0.values.reduce(0) { $0 + $1.broadcast.count } }
  }

  /// Keeps the table open until ``leave()`` has been called as often as ``join()``.
  func join() { joining.withLock { $0 += 1 } }
  func leave() { joining.withLock { $0 -= 1 } }

  // MARK: Pages

  /// Returns the rows from an offset.
  ///
  /// - Parameters:
  ///   - other: The context that fetches rows until the controller has fetched.
  ///   - unsaved: The context with changes that the cells show; nil if they show none.
  func page(
    _ columns: [ResultColumn], offset: Int, limit count: Int, isWritable: Bool,
    before other: NSManagedObjectContext, cellsIn unsaved: NSManagedObjectContext?
  ) async throws -> TablePage {
    var (page, place) = try await page(columns, offset, count, before: other)
    if !isWritable { page.reorderable = nil }
    guard let unsaved, place !== unsaved else { return page }
    let (shown, entity) = (page.rows, entity)
    page.rows = try await limits.run(in: unsaved) {
      let ids = shown.compactMap { row in
        ObjectReference.key(row.id).flatMap { key in
          entity.managedObjectModel.entitiesByName[row.entity].flatMap {
            unsaved.objectID(key, of: $0)
          }
        }
      }
      return try TableRow.rows(of: unsaved.objects(of: ids, entity), columns, in: unsaved)
    }
    return page
  }

  /// Returns the page, and the context of its rows.
  private func page(
    _ columns: [ResultColumn], _ offset: Int, _ count: Int, before other: NSManagedObjectContext
  ) async throws -> (TablePage, NSManagedObjectContext) {
    while hasRows.withLock({ $0 }) {
      let context = context
      let page = try await limits.run(in: context) { [self] in
        // The table may have moved or been closed in the meantime.
        isHome(context) && isReady ? try livePage(columns, offset, count) : nil
      }
      if let page { return (page, context) }
    }
    let page = try await limits.run(in: other) { [self] in
      let start = ContinuousClock.now
      let objects = try placed(offset, count, in: other)
      return try firstPage(objects, columns, offset, count, in: other, since: start)
    }
    return (page, other)
  }

  private func livePage(
    _ columns: [ResultColumn], _ offset: Int, _ count: Int
  ) throws -> TablePage {
    let start = ContinuousClock.now
    let rows = try TableRow.rows(
      of: ranked(offset, count), columns, in: context, named: labelKeys)
    return TablePage(
      version: version, total: starts.total, columns: shown(columns),
      sections: query.section != nil ? shownSections() : nil,
      moreSections: (controller.sections?.count ?? 0) > TablePage.shownSections, offset: offset,
      rows: rows, time: (ContinuousClock.now - start).milliseconds, limited: limit,
      reorderable: orderKey)
  }

  /// The reason why some rows may be missing; nil if the table has all rows. This is computed, because the number of
  /// rows changes with each report, and when the table moves to another context. The rows are counted only before a
  /// fetch, so the table cannot know whether later deletions have left exactly as many rows as are shown.
  private var limit: TablePage.Limit? {
    guard controller.fetchRequest.fetchLimit > 0, starts.total >= limits.rows else { return nil }
    return TablePage.Limit(
      reason: "rows",
      message: "The first \(CountText.grouped(limits.rows)) rows are shown; there may be more.")
  }

  private func shown(_ columns: [ResultColumn]) -> [TableColumn] {
    columns.map { column in
      let known = shownColumns[column.title] ?? TableColumn(column, of: entity)
      shownColumns[column.title] = known
      return known
    }
  }

  /// Returns a page of rows that were fetched by their offset.
  private func firstPage(
    _ objects: [NSManagedObject], _ columns: [ResultColumn], _ offset: Int, _ count: Int,
    in context: NSManagedObjectContext, since start: ContinuousClock.Instant
  ) throws -> TablePage {
    let rows = try TableRow.rows(of: objects, columns, in: context)
    let isLast = objects.count < count && (offset == 0 || !objects.isEmpty)
    return TablePage(
      version: -1, total: isLast ? offset + objects.count : nil,
      columns: columns.map { TableColumn($0, of: entity) }, sections: nil, moreSections: false,
      offset: offset, rows: rows, time: (ContinuousClock.now - start).milliseconds, limited: nil,
      reorderable: orderKey)
  }

  private func ranked(_ offset: Int, _ count: Int) -> [NSManagedObject] {
    let total = starts.total
    guard offset < total else { return [] }
    return controller.objects(
      inRows: offset..<min(offset + count, total), areRead: areRead)
  }

  /// Fetches rows by their offset, for pages before the controller has fetched.
  private func placed(
    _ offset: Int, _ count: Int, in context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let request = try query.request(of: entity, in: context.persistentStoreCoordinator)
    request.fetchOffset = offset
    request.fetchLimit = count
    request.includesPropertyValues = areRead
    return try query.reporting { try context.fetch(request) }
  }

  private func shownSections() -> [TablePage.Section] {
    (controller.sections ?? []).prefix(TablePage.shownSections).enumerated().map { place, section in
      TablePage.Section(
        name: section.name, indexTitle: section.indexTitle ?? "", start: starts[place],
        count: section.numberOfObjects)
    }
  }

  // MARK: Changes

  /// Returns a stream of the reports from now on. It begins with a `hello` event, which contains the version that the
  /// first report changes.
  ///
  /// - Parameter news: Other events that the clients receive.
  func events(_ columns: [ResultColumn], with news: Broadcast) async throws -> Broadcast.Stream {
    try await prepare()
    let context = context
    return try await context.perform { [self] in
      // The table was closed or started to move in the meantime: the client's next request will succeed.
      guard isHome(context), isReady else {
        throw WebFailure(status: 503, "the table is being loaded again: try again")
      }
      let greeting = ["version": version, "total": starts.total]
      let titles = columns.map(\.title)
      let audience = audiences.withLock { audiences in
        let known = audiences[titles] ?? Audience(columns: columns)
        audiences[titles] = known
        return known
      }
      return audience.broadcast.stream(
        first: [try EventText.event("hello", id: version, greeting)], with: [news], holding: self)
    }
  }

  /// Makes the controller fetch, unless it already has.
  private func prepare() async throws {
    if hasRows.withLock({ $0 }) { return }
    // Moving takes only a moment.
    while home.withLock({ $0.isMoving }) { try await Task.sleep(for: .milliseconds(1)) }
    let context = context
    try await limits.run(in: context) { [self] in
      // Another request may have fetched the rows while this one waited for the queue.
      guard isHome(context), !isReady else { return }
      let counted = try query.request(of: entity, in: context.persistentStoreCoordinator)
      counted.fetchLimit = limits.rows + 1
      // Count only stored rows, because unsaved changes add or remove only a few.
      counted.includesPendingChanges = false
      let count = try query.reporting { try context.count(for: counted) }
      controller.fetchRequest.fetchLimit = count > limits.rows ? limits.rows : 0
      try query.reporting { try controller.performFetch() }
      starts = SectionStarts(controller.sections ?? [])
      // Weak, because the table owns the controller, which keeps this closure.
      observation = controller.addObserver { [weak self] in self?.send($0) }
      version = Self.epochs.withLock { epochs in
        epochs += Self.epochLength
        return epochs
      }
      isReady = true
      hasRows.withLock { $0 = true }
    }
  }

  /// Switches to the rows of another context, which has unsaved changes.
  func move(to other: NSManagedObjectContext) async {
    let old = context
    if old === other { return }
    let wasReady = await old.perform { [self] in
      defer { isReady = false }
      observation = nil
      hasRows.withLock { $0 = false }
      // Blocks that are already enqueued on this context find that ``isHome(_:)`` is false, and do not fetch again.
      home.withLock { $0.isMoving = true }
      return isReady
    }
    defer { home.withLock { $0.isMoving = false } }
    do {
      try await other.perform { [self] in
        controller = try Self.controller(query, entity, other)
        labelKeys = LabelKeys()
        isAlone = false
        home.withLock { $0 = Home(context: other) }
      }
      guard wasReady else { return }
      try await prepare()
      await other.perform { [self] in sendReload() }
    } catch {
      // Clients reconnect and load everything again.
      for audience in audiences.withLock({ Array($0.values) }) { audience.broadcast.finish() }
    }
  }

  private func send(_ report: FetchedResultsReport) {
    let context = context
    // A save would release objects that another process deleted, but this context never saves. In the context of the
    // edits, the explorer releases them, and notifies pages, because unsaved changes may be lost with them.
    if isAlone { context.perform { _ = context.releaseObjectsDeletedElsewhere() } }
    let (old, wasLimited) = (starts, limit != nil)
    starts = SectionStarts(controller.sections ?? [])
    version += 1
    // Reports do not contain the limit, so clients have to load the pages again.
    guard (limit != nil) == wasLimited else { return sendReload() }
    let message = TableReport(
      report, version: version, from: old, to: starts, hasSections: query.section != nil,
      indexTitle: controller.sectionIndexTitle(forSectionName:))
    guard message.placeCount <= TableReport.sentPlaceLimit else { return sendReload() }
    for audience in activeAudiences() {
      do {
        if isAlone, unsaved(TableQuery.reach(ofColumns: audience.columns, entity)) != nil {
          // The pages of this audience read their cells from the context with the unsaved changes.
          audience.broadcast.send(EventText.event("reload", id: version))
          continue
        }
        var message = message
        let places = Array(message.touched.prefix(TableReport.sentRowLimit))
        let objects = places.map { controller.requiredObject(atRow: $0) }
        let rows = try TableRow.rows(of: objects, audience.columns, in: context)
        for (place, row) in zip(places, rows) { message.rows[String(place)] = row }
        audience.broadcast.send(try EventText.event("report", id: version, message))
      } catch {
        // Clients reconnect and load everything again.
        audience.broadcast.finish()
      }
    }
  }

  /// Makes clients load everything again.
  private func sendReload() {
    let event = EventText.event("reload", id: version)
    for audience in activeAudiences() { audience.broadcast.send(event) }
  }

  /// Returns the audiences with clients; removes the others.
  private func activeAudiences() -> [Audience] {
    audiences.withLock { audiences in
      audiences = audiences.filter { $0.value.broadcast.count > 0 }
      return Array(audiences.values)
    }
  }

  /// Ends the streams and stops observing the context. The next request for events fetches the rows again.
  func close() async {
    for audience in audiences.withLock({ Array($0.values) }) { audience.broadcast.finish() }
    await context.perform { [self] in
      observation = nil
      isReady = false
      hasRows.withLock { $0 = false }
    }
  }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }
}
