import CoreData
import StoreInspection
import Synchronization

/// The rows of one query, kept up to date by a fetched results controller that all its clients share.
///
/// The first page does not wait for the controller, which reads the keys of all rows: until it is there, pages
/// are read by place.
///
/// Each report is encoded once for each choice of columns and sent to all clients by a ``Broadcast``. Pages and reports
/// contain the version of the result, by which a client knows which rows belong together.
///
/// Everything but the streams lives on the context's queue. The context is the table's own, so that a slow query keeps
/// no other waiting. Only where one of the entities that decide about its rows (``reach``) has unsaved rows, it is the
/// context of the edits, and the table moves there: see ``move(to:)``.
final class LiveTable: @unchecked Sendable {
  let query: TableQuery
  private let entity: NSEntityDescription
  private let home: Mutex<Home>
  /// The entities whose rows decide which rows there are.
  let reach: EntityReach
  private var controller: NSFetchedResultsController<NSManagedObject>
  /// Clients by the columns that they show.
  private let audiences = Mutex<[[String]: Audience]>([:])
  private var observation: FetchedResultsObservation?
  private var isReady = false
  /// The same for those who are on another queue.
  private let hasRows = Mutex(false)
  private var version = 0
  /// Versions of results that were read one after the other are never the same: a page would take its old rows for new.
  private static let epochs = Mutex(0)
  private static let epochLength = 1 << 20
  /// How many clients are about to read its events.
  private let joining = Mutex(0)
  private var starts = SectionStarts()
  private var limit: TablePage.Limit?
  private var labelKeys = LabelKeys()
  /// Whether its context is its own.
  private var isAlone: Bool
  /// Columns that were shown, by their titles.
  private var shownColumns: [String: TableColumn] = [:]
  /// Whether rows may be read as soon as they are found: none has bytes.
  private let areRead: Bool
  /// The attribute that rows may be dragged by.
  private let orderKey: String?

  /// The context with what is not saved, where cells show some of that.
  private let unsaved: @Sendable (EntityReach) -> NSManagedObjectContext?

  private struct Home {
    var context: NSManagedObjectContext
    /// Whether it leaves its context: nothing of it is anywhere then.
    var isMoving = false
  }

  private struct Audience {
    let columns: [ResultColumn]
    let broadcast = Broadcast()
  }

  private let limits: QueryLimits

  /// - Throws: what is wrong with the query.
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
    areRead = LargeValueRows.areNone(of: entity)
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

  /// Where the rows are.
  var context: NSManagedObjectContext { home.withLock { $0.context } }

  private func isHome(_ context: NSManagedObjectContext) -> Bool {
    home.withLock { !$0.isMoving && $0.context === context }
  }

  /// How many clients read its events, or are about to.
  var clientCount: Int {
    joining.withLock { $0 } + audiences.withLock { $0.values.reduce(0) { $0 + $1.broadcast.count } }
  }

  /// Keeps the table open until ``leave()`` was called as often.
  func join() { joining.withLock { $0 += 1 } }
  func leave() { joining.withLock { $0 -= 1 } }

  // MARK: Pages

  /// Some rows from a place on.
  ///
  /// - Parameters:
  ///   - other: where rows are read before the controller is there: nobody waits for it.
  ///   - unsaved: the context that has changes which the cells show; nil where they show none.
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

  /// The page, and the context whose rows it has.
  private func page(
    _ columns: [ResultColumn], _ offset: Int, _ count: Int, before other: NSManagedObjectContext
  ) async throws -> (TablePage, NSManagedObjectContext) {
    while hasRows.withLock({ $0 }) {
      let context = context
      let page = try await limits.run(in: context) { [self] in
        // It has moved, or was closed, meanwhile.
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

  /// Some of the controller's rows.
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

  private func shown(_ columns: [ResultColumn]) -> [TableColumn] {
    columns.map { column in
      let known = shownColumns[column.title] ?? TableColumn(column, of: entity)
      shownColumns[column.title] = known
      return known
    }
  }

  /// A page of rows that were found by their place.
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

  /// The rows before the controller is there.
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

  /// The reports from now on, after a greeting with the version that they begin from.
  ///
  /// - Parameter news: other events that the clients receive.
  func events(_ columns: [ResultColumn], with news: Broadcast) async throws -> Broadcast.Stream {
    try await prepare()
    let context = context
    return try await context.perform { [self] in
      // It was closed or moves between the two: the client's next request finds it there.
      guard isHome(context), isReady else {
        throw WebFailure(status: 503, "the table is being read again")
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

  /// Has the controller read all rows, if it has not yet.
  private func prepare() async throws {
    if hasRows.withLock({ $0 }) { return }
    // In a moment it is in the other context.
    while home.withLock({ $0.isMoving }) { try await Task.sleep(for: .milliseconds(1)) }
    let context = context
    try await limits.run(in: context) { [self] in
      guard isHome(context), !isReady else { return }
      let counted = try query.request(of: entity, in: context.persistentStoreCoordinator)
      counted.fetchLimit = limits.rows + 1
      // What is not saved is some rows more or less.
      counted.includesPendingChanges = false
      if try query.reporting({ try context.count(for: counted) }) > limits.rows {
        controller.fetchRequest.fetchLimit = limits.rows
        limit = TablePage.Limit(
          reason: "rows",
          message:
            "The first \(CountText.grouped(limits.rows)) rows are shown; there are more.")
      }
      try query.reporting { try controller.performFetch() }
      starts = SectionStarts(controller.sections ?? [])
      observation = controller.addObserver { [weak self] in self?.send($0) }
      version = Self.epochs.withLock { epochs in
        epochs += Self.epochLength
        return epochs
      }
      isReady = true
      hasRows.withLock { $0 = true }
    }
  }

  /// Shows the rows of another context, which has something that is not saved.
  func move(to other: NSManagedObjectContext) async {
    let old = context
    if old === other { return }
    let wasReady = await old.perform { [self] in
      defer { isReady = false }
      observation = nil
      hasRows.withLock { $0 = false }
      // What is enqueued behind this finds it nowhere, and does not make it ready again.
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
      // Clients connect again and read everything.
      for audience in audiences.withLock({ Array($0.values) }) { audience.broadcast.finish() }
    }
  }

  private func send(_ report: FetchedResultsReport) {
    let context = context
    // A save would release objects that were deleted elsewhere, but this context never saves. For the context with unsaved
    // changes the edit session does it, and reports the changes that are lost with them.
    if isAlone { context.perform { _ = context.releaseObjectsDeletedElsewhere() } }
    let old = starts
    starts = SectionStarts(controller.sections ?? [])
    version += 1
    let message = TableReport(
      report, version: version, from: old, to: starts, hasSections: query.section != nil,
      indexTitle: controller.sectionIndexTitle(forSectionName:))
    guard message.placeCount <= TableReport.sentPlaceLimit else { return sendReload() }
    for audience in activeAudiences() {
      do {
        if isAlone, unsaved(TableQuery.reach(ofColumns: audience.columns, entity)) != nil {
          // Pages read the cells where what is not saved is.
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
        // Clients connect again and read everything.
        audience.broadcast.finish()
      }
    }
  }

  /// Makes clients read everything again.
  private func sendReload() {
    let event = EventText.event("reload", id: version)
    for audience in activeAudiences() { audience.broadcast.send(event) }
  }

  /// The audiences with clients; forgets the others.
  private func activeAudiences() -> [Audience] {
    audiences.withLock { audiences in
      audiences = audiences.filter { $0.value.broadcast.count > 0 }
      return Array(audiences.values)
    }
  }

  /// Ends the streams, and follows the context no more. The next request for events reads the rows again.
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
  /// The duration in milliseconds.
  var milliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }
}
