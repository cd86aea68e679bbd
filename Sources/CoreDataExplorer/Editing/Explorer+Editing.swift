import CoreData
import StoreInspection

extension Explorer {
  /// Handles requests to `/api/edit` and the paths below it.
  func edit(_ request: WebRequest) async throws -> WebResponse {
    let editing = try writing()
    switch (request.method, request.path.dropFirst(2).first) {
    case ("GET", nil): return try .json(await editing.pending())
    case ("POST", nil):
      let body: EditRequest = try request.content()
      return try .json(try await editing.carryOut(body.operations))
    case ("POST", "undo"): return try .json(try await editing.undo())
    case ("POST", "redo"): return try .json(try await editing.redo())
    case ("POST", "discard"): return try .json(try await editing.discard())
    case ("POST", "save"): return try Self.response(to: try await editing.save())
    case ("POST", "resolve"):
      let decision: EditSession.Decision = try request.content()
      return try Self.response(to: try await editing.save(decision))
    case ("POST", "preview"):
      let body: DeletePreview.Request = try request.content()
      let entity = try entity(named: body.delete.entity)
      return try .json(
        try await limits.run {
          try await DeletePreview.make(body.delete, of: entity, above: self.context)
        })
    default: throw WebFailure.notFound("there is no page at this address")
    }
  }

  /// Handles requests to `/api/bulk` and the paths below it.
  func bulk(_ request: WebRequest) async throws -> WebResponse {
    _ = try writing()
    guard request.method == "POST" else {
      throw WebFailure.notFound("there is no page at this address")
    }
    let change = BulkChange(request: try request.content(), store: store)
    switch request.path.dropFirst(2).first {
    case nil: return try .json(try await change.carryOut(in: context))
    case "preview":
      // The preview reads only stored rows. It uses a separate context, so that a slow condition does not block edits.
      let context = makeContext()
      return try .json(try await limits.run { try await change.preview(in: context) })
    default: throw WebFailure.notFound("there is no page at this address")
    }
  }

  private func writing() throws -> EditSession {
    guard let editing else {
      throw WebFailure(
        status: 403, "the store is read-only; start the explorer with --write to allow changes")
    }
    return editing
  }

  private static func response(to outcome: EditSession.Outcome) throws -> WebResponse {
    switch outcome {
    case .saved(let response): try .json(response)
    case .conflicts(let conflicts): try .json(conflicts, status: 409)
    case .refused(let refusal): try .json(refusal, status: 422)
    }
  }
}
