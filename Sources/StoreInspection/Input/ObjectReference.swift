/// A row as the command line names it.
package struct ObjectReference: Equatable, Sendable {
  /// The entity; nil where it follows from the place, such as a relationship's destination.
  package var entity: String?
  /// The primary key.
  package var key: Int64
  /// The identifier of the store, of a reference that is a URI.
  package var store: String?
}

extension ObjectReference {
  /// Reads a reference to a row: `Team/p12` as the tool prints it, `Team p12`, `p12`, `12`, or the URI of
  /// an object ID (`x-coredata://STORE/Team/p12`); nil for any other text.
  package init?(_ text: String) {
    var text = text.trimmingBlanks()[...]
    let scheme = "x-coredata://"
    if text.hasPrefix(scheme) {
      text = text.dropFirst(scheme.count)
      guard let slash = text.firstIndex(of: "/") else { return nil }
      store = String(text[..<slash])
      text = text[text.index(after: slash)...]
      guard text.contains("/p") else { return nil }
    }
    let parts = text.split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == " " })
    let number = parts.last.map { $0.hasPrefix("p") ? $0.dropFirst() : $0 }
    entity = parts.count == 2 ? String(parts[0]) : nil
    guard entity?.isEmpty != true, let number, let key = Int64(number), key > 0 else { return nil }
    self.key = key
  }

  /// Reads a reference for the value of a relationship, or for an option.
  package static func parse(_ text: String, for relationship: String) throws(Diagnostic)
    -> ObjectReference
  {
    guard let reference = ObjectReference(text) else {
      throw Diagnostic(
        .usage, "'\(text)' is not a row for \(relationship)",
        details: ["It takes a row's objectID, such as p12 or Team/p12, or nil."])
    }
    return reference
  }

  /// Reads rows with commas between them; an empty text is none.
  package static func parseList(
    _ text: String, for relationship: String
  ) throws(Diagnostic) -> [ObjectReference] {
    guard !text.trimmingBlanks().isEmpty else { return [] }
    var references: [ObjectReference] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      references.append(try parse(String(part), for: relationship))
    }
    return references
  }
}
