import StoreInspection

/// Why a request has no answer, as programs get it.
struct WebFailure: Error, Encodable {
  struct Content: Encodable {
    let message: String
    /// Further lines: what was probably meant, what can be done.
    let details: [String]
    /// How many characters of the predicate stand before the mistake.
    var position: Int?
  }

  let status: Int
  let error: Content

  private enum CodingKeys: String, CodingKey { case error }

  init(_ diagnostic: Diagnostic) {
    status = diagnostic.kind == .usage ? 400 : 500
    error = Content(
      message: diagnostic.message, details: diagnostic.details, position: diagnostic.position)
  }

  private init(status: Int, _ message: String) {
    self.status = status
    error = Content(message: message, details: [])
  }

  static func notFound(_ message: String) -> WebFailure { WebFailure(status: 404, message) }
}
