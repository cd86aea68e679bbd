/// Writes values of any type into messages.
package enum MessageText {
  /// The text of a value.
  ///
  /// Foundation's own description of a date far beyond all calendars, or of none, stops the program; such a date,
  /// and a list, which may have one, is written as predicates print it.
  package static func text(of value: Any?) -> String {
    switch Scalar(value) {
    case .date(let date) where !isDescribable(date): ConstantPrinter.text(of: value)
    case .other where KeyValueCollection(value) != nil: ConstantPrinter.text(of: value)
    default: description(of: value)
    }
  }

  /// The text that Swift's interpolation makes of a value, however deep it is nested, with a text of its own for
  /// dates that Foundation cannot describe, alone or within the value.
  package static func description(of value: Any?) -> String {
    guard let value else { return "nil" }
    let (isDescribable, height) = survey(value)
    return LargeStack.run(height: height) {
      if !isDescribable { return substitute(for: value) }
      // Foundation's collections make the text of all that is in them again for each of their levels.
      return height > LargeStack.safeHeight ? "\(NestedValues.native(value))" : "\(value)"
    }
  }

  /// Whether Swift can describe a value with all that it prints of it, and how deep values are nested in it.
  private static func survey(_ value: Any) -> (isDescribable: Bool, height: Int) {
    var pending: [(value: Any, depth: Int)] = [(value, 1)]
    var height = 0
    var isDescribable = true
    while let (next, depth) = pending.popLast() {
      height = max(height, depth)
      if let scalar = (next as? any ScalarConvertible)?.scalar {
        if case .date(let date) = scalar, !Self.isDescribable(date) { isDescribable = false }
      } else {
        for part in parts(of: next) { pending.append((part, depth + 1)) }
      }
    }
    return (isDescribable, height)
  }

  /// What a value's description has in it: members, keys and values, and the properties of a struct.
  ///
  /// A Swift value is never cast to a class: Foundation converts it with all that is nested in it, by recursion.
  private static func parts(of value: Any) -> [Any] {
    guard type(of: value) is AnyClass else {
      return Mirror(reflecting: value).children.map(\.value)
    }
    if let collection = value as? any NestingCollection {
      switch collection.contents {
      case .list(let members), .set(let members): return members
      case .table(let entries): return entries.flatMap { [$0.key, $0.value] }
      }
    }
    // Another object's description names its class, or is its own.
    return []
  }

  /// The text of a value with dates in it that cannot be described.
  private static func substitute(for value: Any) -> String {
    if let scalar = (value as? any ScalarConvertible)?.scalar {
      guard case .date(let date) = scalar, !isDescribable(date) else { return "\(value)" }
      return "(no date: \(date.timeIntervalSinceReferenceDate))"
    }
    if type(of: value) is AnyClass {
      switch (value as? any NestingCollection)?.contents {
      case .list(let members)?, .set(let members)?: return list(members)
      case .table(let entries)?: return table(entries.map { [$0.key, $0.value] })
      case nil: return "\(value)"
      }
    }
    if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable {
      return substitute(for: hashable.base)
    }
    let parts = parts(of: value)
    switch Mirror(reflecting: value).displayStyle {
    case .optional: return parts.first.map(substitute) ?? "nil"
    case .collection, .set: return list(parts)
    case .dictionary: return table(parts.map(Self.parts))
    default: return "\(type(of: value))(\(parts.map(substitute).joined(separator: ", ")))"
    }
  }

  private static func list(_ elements: [Any]) -> String {
    "[\(elements.map(substitute).joined(separator: ", "))]"
  }

  /// The text of a dictionary whose entries are pairs of a key and a value.
  private static func table(_ entries: [[Any]]) -> String {
    let texts = entries.map { $0.map(substitute).joined(separator: ": ") }.sorted()
    return "[\(texts.joined(separator: ", "))]"
  }

  private static func isDescribable(_ date: Date) -> Bool {
    abs(date.timeIntervalSinceReferenceDate) < 1e14
  }
}
