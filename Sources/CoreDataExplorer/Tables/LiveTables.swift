import CoreData
import StoreInspection

/// The tables that browsers show: one for all clients that request the same rows.
actor LiveTables {
  /// How many tables nobody looks at are kept for those who come back, and for how long.
  private static let keptCount = 8
  private static let keptTime = Duration.seconds(20)

  private let store: OpenedStore
  /// The context with what is not saved, where a query meets some of that.
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

  /// Where a table lives: in a context of its own, so that its query keeps no other waiting, unless it meets something that
  /// is not saved.
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

  /// Has tables that meet what a context has not saved show it; those that nobody looks at are read again when somebody
  /// does. Where all is saved or given up, so are those that live in that context: nothing keeps them there.
  func follow(_ unsaved: UnsavedRows, in context: NSManagedObjectContext) async {
    for (query, table) in tables.mapValues(\.table) {
      let isThere = table.context === context
      guard isThere ? unsaved.isEmpty : table.reach.meets(unsaved.entities) else { continue }
      if table.clientCount == 0, tables[query]?.table === table {
        tables[query] = nil
        await table.close()
      } else if !isThere {
        await table.move(to: context)
      }
    }
  }

  /// The contexts that tables live in.
  var contexts: [NSManagedObjectContext] {
    var known: Set<ObjectIdentifier> = []
    return tables.values.map(\.table.context).filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  /// The table of a query, kept open until the caller calls ``LiveTable/leave()``.
  ///
  /// - Throws: what is wrong with the query.
  func join(_ query: TableQuery) async throws -> LiveTable {
    let rows = query.rows
    let known = tables[rows]?.table
    let table = try known ?? newTable(rows)
    tables[rows] = Kept(table: table, lastUse: .now)
    table.join()
    if known == nil { await evictIdleTables() }
    return table
  }

  /// Evicts tables that no page has shown for a while: every save of another process is read for each table that is left.
  func evictIdleTables() async {
    let unused = tables.filter { $0.value.table.clientCount == 0 }
      .sorted { $0.value.lastUse < $1.value.lastUse }.map(\.key)
    for (place, query) in unused.enumerated() {
      // Somebody may have come while another was closed.
      guard let kept = tables[query], kept.table.clientCount == 0,
        unused.count - place > Self.keptCount
          || ContinuousClock.now - kept.lastUse > Self.keptTime
      else { continue }
      tables[query] = nil
      await kept.table.close()
    }
  }

  /// How many tables there are, and how many clients read their events.
  var figures: (tables: Int, clients: Int) {
    (tables.count, tables.values.reduce(0) { $0 + $1.table.clientCount })
  }

  func close() async {
    for kept in tables.values { await kept.table.close() }
    tables = [:]
  }
}
