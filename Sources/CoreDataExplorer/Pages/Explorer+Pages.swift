import CoreData
import StoreInspection

extension Explorer {
  /// Returns the page at an address. Its HTML is complete for browsers that run no scripts; in other browsers, its
  /// script shows the same content and keeps it up to date.
  func page(_ request: WebRequest) async -> WebResponse {
    let summary = await summary()
    let frame = PageFrame(store: summary, client: client.address)
    do {
      return try await page(request, frame, summary)
    } catch {
      // The error page contains the script too, because a user may start at the address of an object that no longer
      // exists.
      let failure = error as? WebFailure ?? WebFailure(Diagnostic(error))
      return .html(frame.page(nil, StorePages.failure(failure)), status: failure.status)
    }
  }

  private func page(
    _ request: WebRequest, _ frame: PageFrame, _ summary: StoreSummary
  ) async throws -> WebResponse {
    switch (request.path.first, request.path.count) {
    case (nil, _): return .html(frame.page(nil, StorePages.overview(summary)))
    case ("diagram", 1): return .html(frame.page("Model diagram", StorePages.diagram(summary)))
    case ("store", 1): return .html(frame.page("About", StorePages.facts(summary)))
    case ("requests", 1):
      return .html(frame.page("Requests", StorePages.requests(log.entries(after: 0))))
    case ("history", 1):
      return .html(frame.page("History", StorePages.history(try await historyPage(request))))
    case ("entities", 2): return try await tablePage(request, frame)
    case ("entities", 3): return try await objectPage(request, frame)
    default: throw WebFailure.notFound("there is no page at this address")
    }
  }

  private func tablePage(_ request: WebRequest, _ frame: PageFrame) async throws -> WebResponse {
    let entity = try entity(named: request.path[1])
    let query = try TableQuery(entity: request.path[1], request)
    let at = try request.number("at", WebRequest.places, else: 0)
    var content = TableContent(query: query, at: at)
    do {
      let columns = try query.resultColumns(of: entity)
      let table = try await tables.join(query)
      defer { table.leave() }
      let page = try await page(
        of: table, columns, entity, offset: at, limit: TableContent.rowCount, isWritable: false)
      let total = try await read(table.reach) { context in
        let counted = try query.request(of: entity, in: context.persistentStoreCoordinator)
        counted.fetchLimit = max(CappedCount.limit, page.offset + page.rows.count) + 1
        return try query.reporting { CappedCount(count: try context.count(for: counted)) }
      }
      content.notes = try RowSelection(entity: entity, where: query.condition).hints
      return .html(frame.page(query.entity, content.html(page, total: total)))
    } catch {
      let failure = error as? WebFailure ?? WebFailure(Diagnostic(error))
      return .html(frame.page(query.entity, content.html(failure)), status: failure.status)
    }
  }

  private func objectPage(_ request: WebRequest, _ frame: PageFrame) async throws -> WebResponse {
    let entity = try entity(named: request.path[1])
    let (name, model) = (request.path[2], store.model)
    // The page shows members of all relationships.
    let context = contextToRead(name, of: entity, ObjectSummary.reach(of: entity))
    let at = try request.number("at", WebRequest.places, else: 0)
    let content = ObjectContent(
      address: Address.object(request.path[1], name), part: request.parameter("part"), at: at)
    let page = try await limits.run(in: context) {
      let object = try context.existingObject(named: name, of: entity)
      let summary = try ObjectSummary(object, in: context)
      return content.html(
        summary, try content.parts(of: object, summary, model: model, in: context))
    }
    return .html(frame.page("\(request.path[1]) \(name)", page))
  }
}
