/// A reference to a row, as written on the command line.
package struct ObjectReference: Equatable, Sendable {
  /// The entity; nil if the context determines it, as a relationship's destination does.
  package var entity: String?
  /// The primary key.
  package var key: Int64
  /// The identifier of the store, if the reference is a URI.
  package var store: String?
}

extension ObjectReference {
  /// Parses a reference to a row: `Team/p12` as in the tool's output, `Team p12`, `p12`, `12`, or the URI of an
  /// object ID (`x-coredata://STORE/Team/p12`); nil for any other text.
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
    guard entity?.isEmpty != true, let number, let key = Self.key(ofDigits: number) else {
      return nil
    }
    self.key = key
  }

  /// Parses a primary key; nil for 0 and for any other text. A key has only digits, while `Int64` accepts a sign too.
  package static func key(ofDigits text: some StringProtocol) -> Int64? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard text.utf8.allSatisfy(digits.contains), let key = Int64(text), key > 0 else { return nil }
    return key
  }

  /// Parses a reference for the value of a relationship or an option.
  ///
  /// - Parameters:
  ///   - name: The name of the relationship or option, for the message.
  ///   - isOptional: Whether the value may also be nil, which the message mentions then.
  package static func parse(
    _ text: String, for name: String, isOptional: Bool = false
  ) throws(Diagnostic) -> ObjectReference {
    guard let reference = ObjectReference(text) else {
      throw Diagnostic(
        .usage, "'\(text)' is not a valid row for \(name)",
        details: ["Use a row's objectID, such as p12 or Team/p12\(isOptional ? ", or nil" : "")."])
    }
    return reference
  }

  /// Parses references separated by commas; empty text is an empty list.
  package static func parseList(
    _ text: String, for name: String
  ) throws(Diagnostic) -> [ObjectReference] {
    guard !text.trimmingBlanks().isEmpty else { return [] }
    var references: [ObjectReference] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      references.append(try parse(String(part), for: name))
    }
    return references
  }
}
