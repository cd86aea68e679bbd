import CoreData
import StoreInspection

/// The tables that pages show: one table for all pages with the same rows.
actor LiveTables {
  /// How many unused tables are kept for pages that return, and for how long.
  private static let keptCount = 8
  private static let keptTime = Duration.seconds(20)

  private let store: OpenedStore
  /// Returns the context with unsaved changes, if they affect a query.
  private let unsaved: @Sendable (EntityReach) -> NSManagedObjectContext?
  private var tables: [TableQuery: Kept] = [:]
  private let limits: QueryLimits

  private struct Kept {
    let table: LiveTable
    let lastUse: ContinuousClock.Instant
  }

  init(
    _ store: OpenedStore, _ limits: QueryLimits,
    unsaved: @escaping @Sendable (EntityReach) -> NSManagedObjectContext?
  ) {
    self.limits = limits
    self.store = store
    self.unsaved = unsaved
  }

  /// Returns the context for a table: the context with unsaved changes if they affect the table; otherwise a new one,
  /// so that the table's query does not block other tables.
  private func home(_ reach: EntityReach) -> (context: NSManagedObjectContext, isAlone: Bool) {
    if let unsaved = unsaved(reach) { return (unsaved, false) }
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = store.coordinator
    context.automaticallyMergesChangesFromParent = true
    return (context, true)
  }

  private func newTable(_ query: TableQuery) throws -> LiveTable {
    let entity = try store.entity(named: query.entity)
    let reach = try query.reachOfRows(entity)
    let (context, isAlone) = home(reach)
    return try LiveTable(
      query, of: entity, in: context, isAlone: isAlone, reach: reach, limits, unsaved: unsaved)
  }

  /// Moves the tables that unsaved changes affect to the context with the changes. Unused tables are closed instead; a
  /// page that uses one later reads it again.
  ///
  /// After a save or discard, no table needs that context anymore: unused tables in it are closed, too.
  func follow(_ unsaved: UnsavedRows, in context: NSManagedObjectContext) async {
    for (query, table) in tables.mapValues(\.table) {
      let isThere = table.context === context
      guard isThere ? unsaved.isEmpty : table.reach.meets(unsaved.entities) else { continue }
      // Another call may have replaced the table while this one was suspended.
      if table.clientCount == 0, tables[query]?.table === table {
        tables[query] = nil
        await table.close()
      } else if !isThere {
        await table.move(to: context)
      }
    }
  }

  var contexts: Set<NSManagedObjectContext> { Set(tables.values.map(\.table.context)) }

  /// Returns the table of a query and keeps it from being evicted until the caller calls ``LiveTable/leave()``.
  ///
  /// - Throws: Errors in the query.
  func join(_ query: TableQuery) async throws -> LiveTable {
    let rows = query.rows
    let known = tables[rows]?.table
    let table = try known ?? newTable(rows)
    tables[rows] = Kept(table: table, lastUse: .now)
    // Join before the suspension below, during which this table could otherwise be evicted.
    table.join()
    if known == nil { await evictIdleTables() }
    return table
  }

  /// Evicts tables that no page has shown for a while, and the least recently used ones if too many are unused, because
  /// each remaining table reads every save of another process.
  func evictIdleTables() async {
    let unused = tables.filter { $0.value.table.clientCount == 0 }
      .sorted { $0.value.lastUse < $1.value.lastUse }.map(\.key)
    for (place, query) in unused.enumerated() {
      // A page may have started using this table while another table was closed.
      guard let kept = tables[query], kept.table.clientCount == 0,
        unused.count - place > Self.keptCount
          || ContinuousClock.now - kept.lastUse > Self.keptTime
      else { continue }
      tables[query] = nil
      // The table is already removed, so a page that joins during this suspension gets a new one.
      await kept.table.close()
    }
  }

  /// The number of tables, and the number of clients that read their events and of requests that keep tables open.
  var figures: (tables: Int, clients: Int) {
    (tables.count, tables.values.reduce(0) { $0 + $1.table.clientCount })
  }

  func close() async {
    for kept in tables.values { await kept.table.close() }
    tables = [:]
  }
}
