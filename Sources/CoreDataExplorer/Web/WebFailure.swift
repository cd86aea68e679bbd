import StoreInspection

/// The response to a request that failed.
struct WebFailure: Error, Encodable {
  struct Content: Encodable {
    let message: String
    /// Further lines: probable corrections, and what the user can do.
    let suggestions: [String]
    /// How many characters of the predicate precede the error.
    var position: Int?
    /// `where` for an error in a condition; otherwise nil.
    var place: String?
    /// True if a query took too long: the same request would probably take as long again. Otherwise nil.
    var stopped: Bool?
  }

  let status: Int
  let error: Content

  private enum CodingKeys: String, CodingKey { case error }

  init(_ diagnostic: Diagnostic) {
    status = diagnostic.kind == .usage ? 400 : 500
    let isOfCondition = diagnostic.message.hasPrefix(Diagnostic.predicatePrefix)
    error = Content(
      // The prefix is an option of the command line, which a page does not have.
      message: String(diagnostic.message.trimmingPrefix(Diagnostic.predicatePrefix)),
      // The lines with a caret are for the command line; a page marks the location in its field.
      suggestions: isOfCondition ? diagnostic.replacements : diagnostic.details,
      position: diagnostic.position, place: isOfCondition ? "where" : nil)
  }

  init(status: Int, _ message: String, isStopped: Bool = false) {
    self.status = status
    error = Content(message: message, suggestions: [], stopped: isStopped ? true : nil)
  }

  static func notFound(_ message: String) -> WebFailure { WebFailure(status: 404, message) }
}
