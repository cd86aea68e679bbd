import CoreData
import StoreInspection

/// Answers the requests of the explorer's pages, independent of the server.
///
/// What a page shows is available in two forms: as HTML for people, and below `/api` for programs, mostly as JSON (see
/// PROTOCOL.md). Changes are sent as server-sent events.
///
/// ``Admission`` decides whether a request is answered, and `route(_:)` calls the function for its address. These
/// functions are in extensions, one for each concept (`Tables/Explorer+Tables.swift` and others).
/// `Pages/Explorer+Pages.swift` makes the pages that are readable without scripts.
package final class Explorer: Sendable {
  /// The maximum number of requests that read from the store at the same time; others wait.
  private static let maximumConcurrentReads = 24
  /// How often the server writes to subscribers, so that both ends notice a lost connection.
  private static let heartbeat = Duration.seconds(15)

  let store: OpenedStore
  /// The context with the unsaved changes, and with the tables that show them.
  let context: NSManagedObjectContext
  let tables: LiveTables
  let counts: EntityCounts
  /// Sends events that concern every page to all subscribers: counts of entities, pending changes, changed objects.
  let news: Broadcast
  private let gathered: GatheredNews
  /// Nil if the store is read-only.
  let editing: EditSession?
  let log: RequestLog
  let objectFigures = ObjectFigures()
  let client: ClientFiles
  let exports = ExportPlaces()
  let limits: QueryLimits
  private let admission: Admission
  private nonisolated(unsafe) let followDeletions: any NSObjectProtocol
  private let pulse: Task<Void, Never>

  /// Opens an existing store.
  ///
  /// - Parameters:
  ///   - model: The path of its model; nil for the copy in the store.
  ///   - isWritable: Whether pages may change the store.
  ///   - isImmutable: Whether to read the store without changing any file: see `immutableStoreOption`.
  package convenience init(
    opening path: String, model: String?, isWritable: Bool, isImmutable: Bool = false,
    admission: Admission,
    limits: QueryLimits = QueryLimits()
  ) throws {
    let log = RequestLog()
    let opened = try OpenedStore.open(
      path, model: model, readOnly: !isWritable, isImmutable: isImmutable,
      options: [
        statementObserverOption: log.observer,
        // Counts and pages follow the writes of other processes through these notifications.
        NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true),
        // Each request reads with its own connection, so that a slow one does not block others.
        NSPersistentStoreConnectionPoolMaxSizeKey: NSNumber(value: Self.maximumConcurrentReads),
      ])
    try self.init(opened, log: log, admission, limits, isWritable: isWritable)
  }

  private init(
    _ store: OpenedStore, log: RequestLog, _ admission: Admission, _ limits: QueryLimits,
    isWritable: Bool
  ) throws {
    self.limits = limits
    self.store = store
    self.admission = admission
    self.log = log
    context = store.context
    context.automaticallyMergesChangesFromParent = true
    let news = Broadcast()
    self.news = news
    counts = EntityCounts(store.coordinator, news)
    let gathered = GatheredNews(store.context, news)
    self.gathered = gathered
    let editing = isWritable ? EditSession(store, context, gathered) : nil
    self.editing = editing
    let tables = LiveTables(store, limits) { reach in
      reach.meets(editing?.unsaved.entities ?? []) ? store.context : nil
    }
    self.tables = tables
    editing?.onUnsavedEntities { unsaved in
      Task { await tables.follow(unsaved, in: store.context) }
    }
    client = try ClientFiles()
    gathered.begin()
    let context = context
    followDeletions = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { [weak context] _ in
      context?.perform { [weak context] in
        // A save also releases objects that another process deleted, but a context that only observes never saves.
        guard context?.releaseObjectsDeletedElsewhere() == true else { return }
        // One of the released objects may have had unsaved changes.
        gathered.noteEdit()
      }
    }
    pulse = Task {
      while (try? await Task.sleep(for: Self.heartbeat)) != nil {
        news.send(EventText.heartbeat)
        await tables.evictIdleTables()
      }
    }
  }

  /// Returns the response to a request that is not admitted, based on its first line and headers; nil if it is
  /// admitted. The body of a refused request need not be read.
  package func refusal(of request: WebRequest) -> WebResponse? {
    admission.answer(to: request).map(withHeaders)
  }

  /// Answers a request. An error results in a response too.
  package func answer(to request: WebRequest) async -> WebResponse {
    withHeaders(await admitted(request))
  }

  private func withHeaders(_ answer: WebResponse) -> WebResponse {
    var answer = answer
    let given = Set(answer.headers.map { $0.name.lowercased() })
    answer.headers += Self.headers.filter { !given.contains($0.name.lowercased()) }
    return answer
  }

  /// Stops all activity and closes the store.
  package func close(_ note: (String) -> Void) async {
    if !unsaved.isEmpty { note("note: unsaved changes were discarded\n") }
    pulse.cancel()
    NotificationCenter.default.removeObserver(followDeletions)
    gathered.end()
    await exports.close()
    await tables.close()
    await counts.close()
    news.finish()
    log.finish()
    // Close the store last, because everything that was stopped above may have read from it until now.
    store.close(note)
  }

  /// Pages load nothing from other servers, run no inline scripts, and cannot be embedded in other pages.
  private static let headers: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        + " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
  ]

  private func admitted(_ request: WebRequest) async -> WebResponse {
    if let refusal = admission.answer(to: request) { return refusal }
    do {
      return try await route(request)
    } catch {
      return Self.answer(error as? WebFailure ?? WebFailure(Diagnostic(error)))
    }
  }

  private static func answer(_ failure: WebFailure) -> WebResponse {
    (try? .json(failure, status: failure.status))
      ?? .text(failure.error.message, status: failure.status)
  }

  private func route(_ request: WebRequest) async throws -> WebResponse {
    guard request.path.first == "api" else {
      guard request.method == "GET" || request.method == "HEAD" else {
        throw WebFailure(status: 405, "pages accept only GET and HEAD")
      }
      if request.path.first == "client" { return try client.response(request.path.dropFirst()) }
      return await page(request)
    }
    switch (request.method, request.path.dropFirst().first) {
    case (_, "edit"): return try await edit(request)
    case (_, "bulk"): return try await bulk(request)
    case ("GET", "store"): return try .json(await summary())
    case ("GET", "events"):
      // Events that concern every page, for pages without a table.
      return .events(news.stream(first: [EventText.event("hello")]))
    case ("GET", "tables"): return try await table(request)
    case ("GET", "objects"): return try await object(request)
    case ("POST", "existing"): return try await existing(request)
    case ("GET", "predicate"): return try await predicateCheck(request)
    case ("GET", "completion"): return try completion(request)
    case ("GET", "diagram.svg"): return try await diagram()
    case ("GET", "histogram"): return try await histogram(request)
    case ("GET", "history"): return try .json(try await historyPage(request))
    case ("GET", "requests"): return try await requests(request)
    default: throw WebFailure.notFound("there is no page at this address")
    }
  }

  // MARK: The store

  /// Summarizes the store. Waits briefly for the counts, so that the first summary of a small store contains all of
  /// them.
  func summary() async -> StoreSummary {
    await counts.refresh()
    let known = await counts.counts(within: .milliseconds(100))
    return StoreSummary(store, isWritable: editing != nil, counts: known)
  }

  /// Runs a function in the context that ``contextToRead(_:)`` returns, within the limits of queries.
  func read<Result: Sendable>(
    _ reach: EntityReach,
    _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Result
  ) async throws -> Result {
    let context = contextToRead(reach)
    return try await limits.run(in: context) { try body(context) }
  }

  /// Returns the context that a request reads in: a new one, so that the request does not block others. If unsaved
  /// changes affect the request, returns the context of the edits, because only that one contains the changes.
  func contextToRead(_ reach: EntityReach) -> NSManagedObjectContext {
    reach.meets(unsaved.entities) ? context : makeContext()
  }

  var unsaved: UnsavedRows { editing?.unsaved ?? UnsavedRows() }

  /// Makes a context for one request, so that a slow request does not block others.
  func makeContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = store.coordinator
    return context
  }

  func entity(named name: String?) throws -> NSEntityDescription {
    guard let name else { throw WebFailure(status: 400, "the request has no entity") }
    do {
      return try store.entity(named: name)
    } catch {
      throw WebFailure(status: 404, ([error.message] + error.details).joined(separator: ": "))
    }
  }
}
