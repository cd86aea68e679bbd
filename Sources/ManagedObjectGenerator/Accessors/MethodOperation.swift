/// The operation of a method that Core Data implements, such as `addToTags(_:)`.
struct MethodOperation: Equatable {
  enum Kind: Equatable {
    case add, remove
    case insert, removeAtIndexes, replaceAtIndexes
    case primitiveValue, setPrimitiveValue
  }

  var kind: Kind
  /// The key as in the method's name, beginning with a capital: `Tags`.
  var name: String

  /// Parses Swift's form of the names that Xcode generates: `addToTags`, with the label `_`.
  ///
  /// - Parameter labels: The arguments' labels, nil for `_`.
  init?(name: String, labels: [String?]) {
    let known: (prefix: String, kind: Kind)? =
      switch labels {
      case [nil] where name.hasPrefix("addTo"): ("addTo", .add)
      case [nil] where name.hasPrefix("removeFrom"): ("removeFrom", .remove)
      case [nil, "at"]: ("insertInto", .insert)
      case ["at"]: ("removeFrom", .removeAtIndexes)
      case ["at", "with"]: ("replace", .replaceAtIndexes)
      default: nil
      }
    if let known, let key = Self.rest(of: name, after: known.prefix) {
      self.init(kind: known.kind, name: key)
    } else {
      // Names such as `addTagsObject(_:)` have the form of selectors.
      self.init(selector: name + labels.map { "\($0 ?? ""):" }.joined())
    }
  }

  /// Parses an Objective-C selector: `addTagsObject:`, `insertObject:inTagsAtIndex:`.
  init?(selector: String) {
    // Longer forms come first, because `addTagsObject:` also has the form `add…:`.
    let forms: [(prefix: String, suffix: String, kind: Kind)] = [
      ("insertObject:in", "AtIndex:", .insert),
      ("removeObjectFrom", "AtIndex:", .removeAtIndexes),
      ("replaceObjectIn", "AtIndex:withObject:", .replaceAtIndexes),
      ("insert", ":atIndexes:", .insert),
      ("remove", "AtIndexes:", .removeAtIndexes),
      ("add", "Object:", .add),
      ("remove", "Object:", .remove),
      ("setPrimitive", ":", .setPrimitiveValue),
      ("primitive", "", .primitiveValue),
      ("add", ":", .add),
      ("remove", ":", .remove),
    ]
    for form in forms where selector.hasSuffix(form.suffix) {
      let text = String(selector.dropLast(form.suffix.count))
      guard let key = Self.rest(of: text, after: form.prefix), !key.contains(":") else { continue }
      self.init(kind: form.kind, name: key)
      return
    }
    // replaceTagsAtIndexes:withTags:
    let parts = selector.split(separator: ":")
    guard parts.count == 2, parts[0].hasSuffix("AtIndexes"),
      let key = Self.rest(of: String(parts[0].dropLast("AtIndexes".count)), after: "replace"),
      parts[1] == "with\(key)"
    else { return nil }
    self.init(kind: .replaceAtIndexes, name: key)
  }

  private init(kind: Kind, name: String) {
    self.kind = kind
    self.name = name
  }

  private static func rest(of text: String, after prefix: String) -> String? {
    guard text.hasPrefix(prefix) else { return nil }
    let rest = String(text.dropFirst(prefix.count))
    // Otherwise `addTotal` would add to the relationship `tal`.
    return rest.first?.isLowercase == false ? rest : nil
  }

  /// Returns the key of the operation: the name with a lowercase first letter, unless only the unchanged
  /// name is a property of the class.
  func key(among properties: Set<String>) -> String {
    let small = name.prefix(1).lowercased() + name.dropFirst()
    return !properties.contains(small) && properties.contains(name) ? name : small
  }
}
