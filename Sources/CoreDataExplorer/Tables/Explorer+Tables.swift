import CoreData
import StoreInspection

extension Explorer {
  /// Handles requests to `/api/tables/NAME` and the paths below it.
  func table(_ request: WebRequest) async throws -> WebResponse {
    guard request.path.count >= 3 else { throw WebFailure.notFound("the request has no entity") }
    let query = try TableQuery(entity: request.path[2], request)
    let entity = try entity(named: query.entity)
    let columns = try query.resultColumns(of: entity)
    switch request.path.count > 3 ? request.path[3] : nil {
    case nil:
      let table = try await tables.join(query)
      defer { table.leave() }
      let offset = try request.number("offset", WebRequest.places, else: 0)
      let limit = try request.number("limit", 1...1_000, else: 100)
      return try .json(
        try await page(
          of: table, columns, entity, offset: offset, limit: limit, isWritable: editing != nil))
    case "events":
      let table = try await tables.join(query)
      defer { table.leave() }
      do {
        return .events(try await table.events(columns, with: news))
      } catch {
        // The error is sent as an event, because a browser's `EventSource` does not let the page read the body of an
        // error response.
        let failure = error as? WebFailure ?? WebFailure(Diagnostic(error))
        return .events(news.stream(first: [try EventText.event("failed", failure)]))
      }
    case "plan":
      // Explaining reads no rows, so no unsaved changes affect it.
      return try .json(
        try await read(EntityReach()) { try RequestPlan(query, of: entity, in: $0) })
    case "swift":
      // Throw errors of the request first, because invalid source is useless.
      _ = try query.request(of: entity, in: store.coordinator)
      return try .json(SwiftSource(query))
    case "export.csv":
      return try await export(
        query, entity, .csv, quotesFormulas: request.parameter("formulas") != "plain")
    case "export.json":
      return try await export(query, entity, .json, quotesFormulas: false)
    default: throw WebFailure.notFound("there is no page at this address")
    }
  }

  /// Reads some rows of a table, including unsaved changes.
  func page(
    of table: LiveTable, _ columns: [ResultColumn], _ entity: NSEntityDescription, offset: Int,
    limit: Int, isWritable: Bool
  ) async throws -> TablePage {
    let cells = TableQuery.reach(ofColumns: columns, entity)
    // Only the cells are read in the context with unsaved changes, so that a slow query does not block it.
    let unsaved = cells.meets(unsaved.entities) ? context : nil
    return try await table.page(
      columns, offset: offset, limit: limit, isWritable: isWritable,
      before: contextToRead(table.reach), cellsIn: unsaved)
  }

  private func export(
    _ query: TableQuery, _ entity: NSEntityDescription, _ format: TableExport.Format,
    quotesFormulas: Bool
  ) async throws -> WebResponse {
    var reach = try query.reachOfRows(entity)
    reach.add(TableQuery.reach(ofColumns: try query.resultColumns(of: entity), entity))
    let (count, parts) = try await TableExport(
      query: query, format: format, quotesFormulas: quotesFormulas, places: exports, limits: limits
    )
    .begin(
      entity, of: store.coordinator, unsaved: reach.meets(unsaved.entities) ? context : nil)
    let name = "\(query.entity).\(format.rawValue)"
    return WebResponse(
      type: format.type,
      headers: [
        ("X-Total-Rows", "\(count)"),
        ("Content-Disposition", "attachment; filename*=UTF-8''\(Address.escaped(name))"),
      ], body: .stream(parts))
  }
}
