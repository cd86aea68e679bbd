import CoreData
import ObjectModel
import StoreInspection

/// The tables that somebody looks at: one for all who ask for the same rows.
actor LiveTables {
  /// How many tables nobody looks at are kept for those who come back.
  private static let keptCount = 8

  private let store: OpenedStore
  private let context: NSManagedObjectContext
  private var tables: [TableQuery: LiveTable] = [:]
  /// By use, the last one at the end.
  private var order: [TableQuery] = []

  init(_ store: OpenedStore, _ context: NSManagedObjectContext) {
    self.store = store
    self.context = context
  }

  /// The table of a query.
  ///
  /// - Throws: what is wrong with the query.
  func table(_ query: TableQuery) async throws -> LiveTable {
    let rows = query.rows
    order.removeAll { $0 == rows }
    order.append(rows)
    if let known = tables[rows] { return known }
    let table = try LiveTable(rows, of: try store.entity(named: query.entity), in: context)
    tables[rows] = table
    await letGo()
    return table
  }

  private func letGo() async {
    let unused = order.filter { tables[$0]?.readerCount == 0 }
    for query in unused.dropLast(Self.keptCount) {
      order.removeAll { $0 == query }
      await tables.removeValue(forKey: query)?.close()
    }
  }

  /// How many tables there are, and how many read their events.
  var figures: (tables: Int, readers: Int) {
    (tables.count, tables.values.reduce(0) { $0 + $1.readerCount })
  }

  func close() async {
    for table in tables.values { await table.close() }
    tables = [:]
    order = []
  }
}
