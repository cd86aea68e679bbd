import CoreData

extension Diagnostic {
  /// Returns the error for a name that no entity of a store or model has.
  package static func unknownEntity(
    _ name: String, in place: String = "the store", among names: [String]
  ) -> Diagnostic {
    Diagnostic(
      .usage, "there is no entity '\(name)' in \(place)",
      details: suggestion(for: name, among: names, listedAs: "The entities are"))
  }

  /// Returns the error for a key that no property of an entity has.
  ///
  /// - Parameters:
  ///   - path: The key path that contains the key; nil if it is the key alone.
  ///   - use: The use of the key, such as `--columns` or `attribute`; the message begins with it.
  package static func unknownKey(
    _ key: String, in path: String? = nil, entity: String, use: String, among names: [String]
  ) -> Diagnostic {
    let path = path ?? key
    let name = path == key ? "of that name" : "'\(key)'"
    return Diagnostic(
      .usage, "\(use) '\(path)': the entity \(entity) has no property \(name)",
      details: suggestion(for: key, among: names, listedAs: "Its properties are"))
  }

  /// Returns the error for a name that no version of a model has.
  package static func unknownVersion(
    _ name: String, option: String, of path: String, among names: [String]
  ) -> Diagnostic {
    Diagnostic(
      .usage, "\(option) '\(name)': '\(path)' has no version of that name",
      details: suggestion(for: name, among: names, listedAs: "Its versions are"))
  }

  /// Returns a suggestion of the most similar name, or a list of the names if none is similar.
  private static func suggestion(
    for name: String, among names: [String], listedAs introduction: String
  ) -> [String] {
    if let nearest = NearestName.nearest(to: name, among: names) {
      return ["Did you mean '\(nearest)'?"]
    }
    let listed = 20
    let sorted = names.sorted { $0.lowercased() < $1.lowercased() }
    guard !sorted.isEmpty else { return [] }
    let rest = sorted.count > listed ? " and \(sorted.count - listed) more" : ""
    return ["\(introduction): \(sorted.prefix(listed).joined(separator: ", "))\(rest)"]
  }
}
