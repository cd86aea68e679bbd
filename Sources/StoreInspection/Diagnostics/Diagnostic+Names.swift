import CoreData

extension Diagnostic {
  /// The store or the model has no entity of a name.
  package static func unknownEntity(
    _ name: String, in place: String = "the store", among names: [String]
  ) -> Diagnostic {
    Diagnostic(
      .usage, "there is no entity '\(name)' in \(place)",
      details: suggestion(for: name, among: names, listedAs: "The entities are"))
  }

  /// An entity has no property of a name; `use` says what the property was requested for, and `path` is the key path
  /// that contains it.
  package static func unknownKey(
    _ key: String, in path: String? = nil, entity: String, use: String, among names: [String]
  ) -> Diagnostic {
    let path = path ?? key
    let name = path == key ? "of that name" : "'\(key)'"
    return Diagnostic(
      .usage, "\(use) '\(path)': the entity \(entity) has no property \(name)",
      details: suggestion(for: key, among: names, listedAs: "Its properties are"))
  }

  /// A model has no version of a name.
  package static func unknownVersion(
    _ name: String, option: String, of path: String, among names: [String]
  ) -> Diagnostic {
    Diagnostic(
      .usage, "\(option) '\(name)': '\(path)' has no version of that name",
      details: suggestion(for: name, among: names, listedAs: "Its versions are"))
  }

  /// Suggests the name that was probably meant; without one, lists the names.
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
