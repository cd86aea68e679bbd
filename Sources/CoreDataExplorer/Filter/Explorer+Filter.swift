import CoreData

extension Explorer {
  /// `/api/predicate`: whether a condition can be used, as it is typed.
  func predicateCheck(_ request: WebRequest) async throws -> WebResponse {
    let entity = try entity(named: request.parameter("entity"))
    let text = request.parameter("text") ?? ""
    // It asks for no row: what is not saved does not matter.
    let context = contextOfItsOwn()
    return try .json(
      try await limits.run(in: context) { PredicateCheck(text, of: entity, in: context) })
  }

  /// `/api/completion`: what may stand at the cursor.
  func completion(_ request: WebRequest) throws -> WebResponse {
    let entity = try entity(named: request.parameter("entity"))
    let text = request.parameter("text") ?? ""
    let cursor = try request.number("cursor", WebRequest.places, else: text.unicodeScalars.count)
    return try .json(PredicateCompletion(text, at: cursor, of: entity))
  }
}
