import CoreData
import StoreInspection

extension Explorer {
  /// The response to `/api/requests`.
  private struct Requests: Encodable {
    /// The ID of the log. In another log, the same number belongs to another request.
    let log: String
    let requests: [RequestLog.Entry]
    let cache: [String: Int]
  }

  /// Handles requests to `/api/requests` and the paths below it: the statements that the store executed.
  func requests(_ request: WebRequest) async throws -> WebResponse {
    switch request.path.dropFirst(2).first {
    case nil:
      let after = try request.number("after", WebRequest.places, else: 0)
      return try .json(
        Requests(log: log.id, requests: log.entries(after: after), cache: await figures()))
    case "events": return .events(log.events(with: [news]))
    default: throw WebFailure.notFound("there is no page at this address")
    }
  }

  /// Returns figures about the objects in memory, the requests, and the live tables.
  private func figures() async -> [String: Int] {
    // A table may share the context of the edits.
    let contexts = await self.tables.contexts.union([context])
    let memory = await objectFigures.sums(for: contexts, within: .milliseconds(100))
    let tables = await self.tables.figures
    let requests = log.figures
    return [
      // An object that is not a fault holds its row, and nothing else does.
      "objects": memory.objects, "faults": memory.faults,
      "rows held": memory.objects - memory.faults, "unsaved objects": memory.unsaved,
      "requests": requests.requests, "rows read": requests.rows,
      "live tables": tables.tables, "clients": tables.clients,
    ]
  }
}
