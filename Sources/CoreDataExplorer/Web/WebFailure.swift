import StoreInspection

/// Why a request has no answer, as programs get it.
struct WebFailure: Error, Encodable {
  struct Content: Encodable {
    let message: String
    /// Further lines: what was probably meant, what can be done.
    let suggestions: [String]
    /// How many characters of the predicate stand before the mistake.
    var position: Int?
    /// `where` for what is wrong with a condition; nil for all else.
    var place: String?
  }

  let status: Int
  let error: Content

  private enum CodingKeys: String, CodingKey { case error }

  init(_ diagnostic: Diagnostic) {
    status = diagnostic.kind == .usage ? 400 : 500
    let isOfCondition = diagnostic.message.hasPrefix(Diagnostic.predicatePrefix)
    error = Content(
      // There is no such option on a page.
      message: String(diagnostic.message.trimmingPrefix(Diagnostic.predicatePrefix)),
      // The lines of the command line that point at a place say nothing beside a field.
      suggestions: isOfCondition ? diagnostic.replacements : diagnostic.details,
      position: diagnostic.position, place: isOfCondition ? "where" : nil)
  }

  init(status: Int, _ message: String) {
    self.status = status
    error = Content(message: message, suggestions: [])
  }

  static func notFound(_ message: String) -> WebFailure { WebFailure(status: 404, message) }
}
