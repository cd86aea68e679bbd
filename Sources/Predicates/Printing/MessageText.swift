import Foundation

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
      isDescribable ? "\(value)" : substitute(for: value)
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
  private static func parts(of value: Any) -> [Any] {
    if let elements = KeyValueCollection(value)?.elements { return elements }
    if let dictionary = KeyValueCollection.dictionary(value) {
      return dictionary.flatMap { [$0.key.base, $0.value] }
    }
    // An object's description names its class, or is its own.
    if type(of: value) is AnyClass { return [] }
    return Mirror(reflecting: value).children.map(\.value)
  }

  /// The text of a value with dates in it that cannot be described.
  private static func substitute(for value: Any) -> String {
    guard let value = flattenOptional(value) else { return "nil" }
    if case .date(let date) = Scalar(value), !isDescribable(date) {
      return "(no date: \(date.timeIntervalSinceReferenceDate))"
    }
    if value is any ScalarConvertible { return "\(value)" }
    if let elements = KeyValueCollection(value)?.elements {
      return "[\(elements.map(substitute).joined(separator: ", "))]"
    }
    if let dictionary = KeyValueCollection.dictionary(value) {
      let entries = dictionary.map {
        "\(substitute(for: $0.key.base)): \(substitute(for: $0.value))"
      }
      return "[\(entries.sorted().joined(separator: ", "))]"
    }
    if type(of: value) is AnyClass { return "\(value)" }
    let parts = Mirror(reflecting: value).children.map { substitute(for: $0.value) }
    return "\(type(of: value))(\(parts.joined(separator: ", ")))"
  }

  private static func isDescribable(_ date: Date) -> Bool {
    abs(date.timeIntervalSinceReferenceDate) < 1e14
  }
}
