import CoreData

extension Diagnostic {
  /// The store, or the model, has no such entity.
  package static func unknownEntity(
    _ name: String, in place: String = "the store", among names: [String]
  ) -> Diagnostic {
    Diagnostic(
      .usage, "there is no entity '\(name)' in \(place)",
      details: suggestion(for: name, among: names, listedAs: "The entities are"))
  }

  /// An entity has no such property; `use` says what the property was wanted for, `path` the key path
  /// that it is a part of.
  package static func unknownKey(
    _ key: String, in path: String? = nil, entity: String, use: String, among names: [String]
  ) -> Diagnostic {
    let path = path ?? key
    let name = path == key ? "of that name" : "'\(key)'"
    return Diagnostic(
      .usage, "\(use) '\(path)': the entity \(entity) has no property \(name)",
      details: suggestion(for: key, among: names, listedAs: "Its properties are"))
  }

  /// A model has no such version.
  package static func unknownVersion(
    _ name: String, option: String, of path: String, among names: [String]
  ) -> Diagnostic {
    Diagnostic(
      .usage, "\(option) '\(name)': '\(path)' has no version of that name",
      details: suggestion(for: name, among: names, listedAs: "Its versions are"))
  }

  /// The name that was probably meant, else all names as far as they can be taken in.
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
