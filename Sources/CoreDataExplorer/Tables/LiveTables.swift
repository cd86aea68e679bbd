import CoreData
import ObjectModel
import StoreInspection

/// The tables that somebody looks at: one for all who ask for the same rows.
actor LiveTables {
  /// How many tables nobody looks at are kept for those who come back, and for how long.
  private static let keptCount = 8
  private static let keptTime = Duration.seconds(20)

  private let store: OpenedStore
  private let context: NSManagedObjectContext
  private var tables: [TableQuery: LiveTable] = [:]
  private var lastUses: [TableQuery: ContinuousClock.Instant] = [:]

  private let limits: QueryLimits

  init(_ store: OpenedStore, _ context: NSManagedObjectContext, _ limits: QueryLimits) {
    self.limits = limits
    self.store = store
    self.context = context
  }

  /// The table of a query, kept from being let go of: the caller is to call ``LiveTable/leave()``.
  ///
  /// - Throws: what is wrong with the query.
  func join(_ query: TableQuery) async throws -> LiveTable {
    let rows = query.rows
    let known = tables[rows]
    let table =
      try known ?? LiveTable(rows, of: try store.entity(named: query.entity), in: context, limits)
    tables[rows] = table
    lastUses[rows] = .now
    table.join()
    if known == nil { await letGo() }
    return table
  }

  /// Lets go of tables that nobody has looked at for a while: what others save is read for each that is there.
  func letGo() async {
    let unused = tables.keys.filter { tables[$0]?.readerCount == 0 }
      .sorted { lastUse($0) < lastUse($1) }
    for (place, query) in unused.enumerated() {
      let isOld = ContinuousClock.now - lastUse(query) > Self.keptTime
      // Somebody may have come while another was closed.
      guard isOld || unused.count - place > Self.keptCount, let table = tables[query],
        table.readerCount == 0
      else { continue }
      tables[query] = nil
      lastUses[query] = nil
      await table.close()
    }
  }

  private func lastUse(_ query: TableQuery) -> ContinuousClock.Instant { lastUses[query] ?? .now }

  /// How many tables there are, and how many read their events.
  var figures: (tables: Int, readers: Int) {
    (tables.count, tables.values.reduce(0) { $0 + $1.readerCount })
  }

  func close() async {
    for table in tables.values { await table.close() }
    tables = [:]
    lastUses = [:]
  }
}
