import CoreData

extension Explorer {
  /// Handles `/api/predicate`: checks a condition while it is typed.
  func predicateCheck(_ request: WebRequest) async throws -> WebResponse {
    let entity = try entity(named: request.parameter("entity"))
    let text = request.parameter("text") ?? ""
    // Checking reads no rows, so unsaved changes do not matter.
    let context = makeContext()
    return try .json(
      try await limits.run(in: context) { PredicateCheck(text, of: entity, in: context) })
  }

  /// Handles `/api/completion`: suggests what to write at the cursor.
  func completion(_ request: WebRequest) throws -> WebResponse {
    let entity = try entity(named: request.parameter("entity"))
    let text = request.parameter("text") ?? ""
    let cursor = try request.number("cursor", WebRequest.places, else: text.unicodeScalars.count)
    return try .json(PredicateCompletion(text, at: cursor, of: entity))
  }
}
