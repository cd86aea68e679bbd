import CoreData
import ModelDiagram
import StoreInspection

extension Explorer {
  /// Handles `/api/diagram.svg`: the model with counts; each entity links to its table.
  func diagram() async throws -> WebResponse {
    await counts.refresh()
    let known = await counts.counts(within: .milliseconds(100))
    var picture = EntityDiagram(store.model, title: "")
    for place in picture.cards.indices {
      let name = picture.cards[place].name
      picture.cards[place].link = Address.entity(name)
      picture.cards[place].note = known[name].map { CountText.rows($0) }
    }
    // Pages use the built-in layout, because Graphviz would run as another process.
    let (layout, _) = try DiagramLayout.make(picture, by: .builtIn)
    return WebResponse(
      type: "image/svg+xml",
      // A browser can open the picture as a document of its own. The picture may then use its style sheet, but must
      // not run scripts or load anything.
      headers: [
        ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      ], body: .data(Data(picture.svg(layout).utf8)))
  }

  /// Handles `/api/histogram`: the distribution of a column's values.
  func histogram(_ request: WebRequest) async throws -> WebResponse {
    let entity = try entity(named: request.parameter("entity"))
    guard let key = request.parameter("key") else {
      throw WebFailure(status: 400, "the request has no column")
    }
    let condition = request.parameter("where")
    var reach = try TableQuery(entity: entity.name ?? "", condition: condition, sort: nil)
      .reachOfRows(entity)
    reach.add(
      TableQuery.reach(ofColumns: [try ResultColumn.column(key, of: entity, use: "key")], entity))
    return try .json(
      try await read(reach) { try Histogram(of: key, entity, where: condition, in: $0) })
  }

  /// Handles `/api/history`: transactions with their authors and times.
  func historyPage(_ request: WebRequest) async throws -> HistoryPage {
    let before = try request.number("before", WebRequest.places, else: 0)
    let limit = try request.number("limit", 1...500, else: 50)
    let (context, coordinator) = (makeContext(), store.coordinator)
    guard coordinator.currentPersistentHistoryToken(fromStores: nil) != nil else { return .none }
    return try await limits.run(in: context) {
      try HistoryPage(before: before > 0 ? Int64(before) : nil, limit: limit, in: context)
    }
  }
}
