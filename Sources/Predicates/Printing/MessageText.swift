/// Describes values of any type for messages.
package enum MessageText {
  /// Returns "1 row", or the number and "rows".
  package static func rows(_ count: some BinaryInteger) -> String {
    counted(count, "row")
  }

  /// Returns a number with a noun, whose plural ends in s.
  package static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// Returns the text of a value.
  ///
  /// Foundation's description of a date that is not a number or is far outside all calendars stops the program. So such
  /// a date is printed as in predicates, and so is every collection, because it may contain one.
  package static func text(of value: Any?) -> String {
    switch Scalar(value) {
    case .date(let date) where !isDescribable(date): ConstantPrinter.text(of: value)
    case .other where KeyValueCollection(value) != nil: ConstantPrinter.text(of: value)
    default: description(of: value)
    }
  }

  /// Returns the text of a value as Swift's interpolation prints it, however deeply it is nested. Dates that Foundation
  /// cannot describe get a different text.
  package static func description(of value: Any?) -> String {
    guard let value else { return "nil" }
    let (isDescribable, height) = survey(value)
    // Swift's own description recurses too, so it also needs the large stack.
    return LargeStack.run(height: height) {
      if !isDescribable { return substitute(for: value) }
      // At each level, Foundation's collections create the text of everything below again.
      return height > LargeStack.safeHeight ? "\(NestedValues.native(value))" : "\(value)"
    }
  }

  /// Returns whether Swift can describe everything in a value, and the nesting depth of the value.
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

  /// Returns the values that a value's description contains: members, keys and values, and a struct's properties.
  ///
  /// Never casts a Swift value to a class, because Foundation would bridge everything nested in it recursively.
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
    // The description of another object is its class name or its own text.
    return []
  }

  /// Returns the text of a value that contains dates that cannot be described.
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

  /// Returns the text of a dictionary whose entries are pairs of a key and a value.
  private static func table(_ entries: [[Any]]) -> String {
    // Sorted, because a dictionary has no order.
    let texts = entries.map { $0.map(substitute).joined(separator: ": ") }.sorted()
    return "[\(texts.joined(separator: ", "))]"
  }

  private static func isDescribable(_ date: Date) -> Bool {
    abs(date.timeIntervalSinceReferenceDate) < 1e14
  }
}
