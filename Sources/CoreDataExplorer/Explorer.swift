import CoreData
import Foundation
import ObjectModel
package import StoreInspection

/// Answers the requests of the explorer's pages, whichever server takes them.
///
/// Every address is there for people (HTML) and for programs (JSON, below `/api`); what changes goes out as
/// server-sent events.
package final class Explorer: Sendable {
  private let store: OpenedStore
  private let admission: Admission
  private let isWritable: Bool
  /// Where tables live.
  private let context: NSManagedObjectContext
  private let tables: LiveTables
  private let counts: EntityCounts
  /// Tells the counts of entities to all who read events.
  private let news: Broadcast
  private let client: ClientFiles

  package init(_ store: OpenedStore, admission: Admission, isWritable: Bool) throws {
    self.store = store
    self.admission = admission
    self.isWritable = isWritable
    context = store.context
    context.automaticallyMergesChangesFromParent = true
    tables = LiveTables(store, context)
    news = Broadcast()
    counts = EntityCounts(store.coordinator, news)
    client = try ClientFiles()
  }

  /// Answers a request. Mistakes of requests are answers, too.
  package func answer(to request: WebRequest) async -> WebResponse {
    var answer = await admitted(request)
    answer.headers += Self.headers
    return answer
  }

  /// Ends all that goes on.
  package func close() async {
    await tables.close()
    news.finish()
  }

  /// Nothing comes from elsewhere, nothing that stands in a page is run, and no other page shows this one.
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
    } catch let error as WebFailure {
      return Self.answer(error)
    } catch {
      return Self.answer(WebFailure(Diagnostic(error)))
    }
  }

  private static func answer(_ failure: WebFailure) -> WebResponse {
    do {
      return try .json(failure, status: failure.status)
    } catch {
      return .text(failure.error.message, status: failure.status)
    }
  }

  private func route(_ request: WebRequest) async throws -> WebResponse {
    switch (request.method, request.path.first, request.path.dropFirst().first) {
    case ("GET", "client", _?): return try client.response(request.path.dropFirst())
    case ("GET", "api", "store"): return try await summary()
    case ("GET", "api", "tables"): return try await table(request)
    case ("GET", "api", "objects"): return try await object(request)
    default: throw WebFailure.notFound("there is no page of this address")
    }
  }

  // MARK: The store

  private func summary() async throws -> WebResponse {
    await counts.refresh()
    // Small stores have all their counts with the first answer.
    let known = await counts.known(within: .milliseconds(100))
    return try .json(StoreSummary(store, isWritable: isWritable, counts: known))
  }

  // MARK: Tables

  private func table(_ request: WebRequest) async throws -> WebResponse {
    guard request.path.count >= 3 else { throw WebFailure.notFound("which entity?") }
    let query = try TableQuery(entity: request.path[2], request)
    let entity = try store.entity(named: query.entity)
    let columns = try query.resultColumns(of: entity)
    let table = try await tables.table(query)
    switch request.path.count > 3 ? request.path[3] : nil {
    case nil:
      let page = try await table.page(
        columns, offset: Self.number(request, "offset", 0...Int.max, else: 0),
        limit: Self.number(request, "limit", 1...1_000, else: 100))
      return try .json(page)
    case "events": return .events(try await table.events())
    default: throw WebFailure.notFound("there is no page of this address")
    }
  }

  private static func number(
    _ request: WebRequest, _ name: String, _ range: ClosedRange<Int>, else standard: Int
  ) throws -> Int {
    guard let text = request.parameter(name) else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw WebFailure(Diagnostic(.usage, "\(name) is to be a number from \(range.lowerBound) on"))
    }
    return number
  }

  // MARK: Objects

  private func object(_ request: WebRequest) async throws -> WebResponse {
    guard request.path.count >= 4, let key = RowName.key(request.path[3]) else {
      throw WebFailure.notFound("which object?")
    }
    let entity = try store.entity(named: request.path[2])
    let context = context
    let summary = try await context.perform { () -> ObjectSummary? in
      guard let object = try context.storedObject(of: entity, key: key) else { return nil }
      return try ObjectSummary(object, in: context)
    }
    guard let summary else {
      throw WebFailure.notFound("\(request.path[2]) \(request.path[3]) is gone")
    }
    return try .json(summary)
  }
}

extension NSManagedObjectContext {
  /// The object of a key; nil where there is no such row, or it is of another entity.
  fileprivate func storedObject(
    of entity: NSEntityDescription, key: Int64
  ) throws -> NSManagedObject? {
    let known = registeredObjects.first { $0.objectID.primaryKey == key && $0.isKind(of: entity) }
    if let known { return known }
    guard key > 0, let coordinator = persistentStoreCoordinator,
      let identifier = coordinator.persistentStores.first?.identifier,
      let url = URL(string: "x-coredata://\(identifier)/\(entity.name ?? "")/p\(key)"),
      let id = coordinator.managedObjectID(forURIRepresentation: url)
    else { return nil }
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.predicate = try NSPredicate(validating: "SELF == %@", arguments: [id])
    return try fetch(request).first
  }
}

extension NSManagedObject {
  fileprivate func isKind(of entity: NSEntityDescription) -> Bool {
    self.entity.isKindOf(entity: entity)
  }
}
