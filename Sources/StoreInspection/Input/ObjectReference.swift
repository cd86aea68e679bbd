/// A row as the command line names it, for the value of a relationship.
package struct ObjectReference: Equatable, Sendable {
  /// The entity, nil where the relationship's destination is meant.
  package var entity: String?
  /// The primary key.
  package var key: Int64

  /// Reads `Team/p12` (as JSON shows it), `Team p12` (as tables show it), `p12` or `12`.
  package static func parse(_ text: String, for relationship: String) throws(Diagnostic)
    -> ObjectReference
  {
    let parts = text.trimmingBlanks().split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == " " })
    let entity = parts.count == 2 ? String(parts[0]) : nil
    let number = parts.last.map { $0.hasPrefix("p") ? $0.dropFirst() : $0 }
    guard entity?.isEmpty != true, let number, let key = Int64(number), key > 0 else {
      throw Diagnostic(
        .usage, "'\(text)' is not a row for \(relationship)",
        details: ["It takes a row's objectID, such as p12 or Team/p12, or nil."])
    }
    return ObjectReference(entity: entity, key: key)
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
