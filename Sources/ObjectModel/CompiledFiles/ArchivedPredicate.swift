import Predicates

/// Converts an archived predicate to its text in the predicate language.
struct ArchivedPredicate {
  /// The reason why a predicate or expression cannot be read from an archive or written to one.
  struct Failure: Error {
    let reason: String

    /// The writer's error for a predicate or expression that is nested too deeply for a file.
    static let tooDeep = Failure(
      reason: "a predicate or expression is nested too deeply for a file, which may contain at most"
        + " \(ArchivedPredicate.greatestHeight) levels.")
  }

  /// The constants that cannot be written as literals. The text contains `%@` for each of them.
  final class FormatConstants {
    var values: [Any] = []
  }

  let archive: KeyedArchive
  /// Collects the constants that cannot be written as literals; nil if the predicate is stored only as text.
  var constants: FormatConstants?
  let budget = WorkBudget()

  /// The maximum height of a predicate or expression in a file, for reading and writing. The parser accepts no text of
  /// a higher predicate, so a file can contain every predicate that a model has as text.
  static let greatestHeight = 200

  /// Returns the text of a predicate.
  func text(_ value: PropertyListValue?, depth: Int = 0) throws -> String {
    // Not `<`: in an archive, the parts of a key path are one level deeper than the key path, but they do not add to
    // its height.
    guard depth <= Self.greatestHeight, budget.spend() else {
      throw Failure(reason: "a predicate is nested too deeply or is too long.")
    }
    guard let instance = archive.instance(value) else {
      throw Failure(reason: "a predicate is missing.")
    }
    switch instance.className {
    case "NSComparisonPredicate": return try comparison(instance.fields, depth: depth)
    case "NSCompoundPredicate": return try compound(instance.fields, depth: depth)
    case "NSTruePredicate": return "TRUEPREDICATE"
    case "NSFalsePredicate": return "FALSEPREDICATE"
    default: throw Failure(reason: "a predicate has the unknown class \(instance.className).")
    }
  }

  private func compound(_ fields: [String: PropertyListValue], depth: Int) throws -> String {
    let parts = try (archive.elements(fields["NSSubpredicates"]) ?? []).map { part in
      let text = try text(part, depth: depth + 1)
      let isCompound = archive.instance(part)?.className == "NSCompoundPredicate"
      // As in Apple's output, a compound in a compound needs parentheses, and a comparison never
      // does.
      return isCompound ? "(\(text))" : text
    }
    switch archive.integer(fields["NSCompoundPredicateType"]) {
    case 0: return "NOT \(parts.first ?? "TRUEPREDICATE")"
    case 1: return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
    case 2: return parts.isEmpty ? "FALSEPREDICATE" : parts.joined(separator: " OR ")
    default: throw Failure(reason: "a compound predicate has an unknown type.")
    }
  }

  private func comparison(_ fields: [String: PropertyListValue], depth: Int) throws -> String {
    guard let comparator = archive.instance(fields["NSPredicateOperator"]) else {
      throw Failure(reason: "a comparison has no operator.")
    }
    let left = try expression(fields["NSLeftExpression"], depth: depth + 1)
    let right = try expression(fields["NSRightExpression"], depth: depth + 1)
    let modifier = archive.integer(comparator.fields["NSModifier"]) ?? 0
    guard let prefix = [0: "", 1: "ALL ", 2: "ANY "][modifier] else {
      throw Failure(reason: "a comparison has the unknown modifier \(modifier).")
    }
    return "\(prefix)\(left) \(try name(of: comparator)) \(right)"
  }

  private func name(of comparator: KeyedArchive.Instance) throws -> String {
    let code = archive.integer(comparator.fields["NSOperatorType"]) ?? -1
    let names = [
      0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE",
      8: "BEGINSWITH", 9: "ENDSWITH", 10: "IN", 99: "CONTAINS", 100: "BETWEEN",
    ]
    guard let name = names[code] else {
      throw Failure(reason: "a comparison has the unknown operator \(code).")
    }
    let options =
      // Operators on strings and collections store their options under the first key, other operators under the
      // second.
      archive.integer(comparator.fields["NSFlags"])
      ?? archive.integer(comparator.fields["NSOptions"]) ?? 0
    // Ignore all other bits, which newer versions of Apple's systems may use.
    let known = NSComparisonPredicate.Options(rawValue: UInt(truncatingIfNeeded: options) & 15)
    return name + known.spelling
  }
}
