/// Archives predicates in the format of Apple's Foundation.
struct PredicateArchiver {
  let writer: ArchivedModelWriter
  let entity: String
  let property: String?
  /// The number of predicates and expressions that enclose the current one.
  var depth = 0

  var builder: KeyedArchiveBuilder { writer.builder }

  /// Returns the archiver for the parts of a predicate or expression.
  func deeper() throws -> PredicateArchiver {
    var inner = self
    inner.depth += 1
    if inner.depth >= ArchivedPredicate.greatestHeight { throw ArchivedPredicate.Failure.tooDeep }
    return inner
  }

  /// Returns whether a predicate is shallow enough for a file. Must be checked before archiving, which is recursive.
  static func canArchive(_ predicate: NSPredicate) -> Bool {
    if predicate.height <= ArchivedPredicate.greatestHeight { return true }
    let parts = Self.members(of: predicate)
    return !parts.isEmpty && parts.allSatisfy { $0.height < ArchivedPredicate.greatestHeight }
  }

  /// Returns the parts of a compound predicate as a file contains them; an empty array for other predicates.
  private static func members(of predicate: NSPredicate) -> [NSPredicate] {
    guard case .compound(let type, let parts) = predicate.shape else { return [] }
    // Code often builds AND and OR chains pairwise; flatten long ones so that they are not nested too deeply.
    let isChain = type != .not && predicate.height > ArchivedPredicate.greatestHeight
    return isChain ? NSPredicate.flat(parts, type) : parts
  }

  /// Archives a predicate.
  ///
  /// - Throws: An ``ArchivedPredicate/Failure`` for a part that no file can contain, such as Swift code, and for parts
  ///   that are nested too deeply; an `NSError` for a constant that cannot be archived.
  func predicate(_ predicate: NSPredicate) throws -> PropertyListValue {
    switch predicate.shape {
    case .constant(let value): return builder.add(value ? .truePredicate : .falsePredicate, [:])
    case .comparison(let comparison): return try self.comparison(comparison)
    case .compound(let type, _):
      let members = Self.members(of: predicate)
      let inner = try deeper()
      return builder.add(
        .compoundPredicate,
        [
          "NSCompoundPredicateType": .integer(Int64(type.rawValue)),
          "NSSubpredicates": builder.array(try members.map { try inner.predicate($0) }),
        ])
    case .block, .custom:
      throw ArchivedPredicate.Failure(
        reason: "a predicate that contains Swift code cannot be stored in a file.")
    }
  }

  private func comparison(_ comparison: NSComparisonPredicate) throws -> PropertyListValue {
    let inner = try deeper()
    return builder.add(
      .comparisonPredicate,
      [
        "NSLeftExpression": try inner.expression(comparison.leftExpression),
        "NSRightExpression": try inner.expression(comparison.rightExpression),
        "NSPredicateOperator": try comparator(comparison),
      ])
  }

  private func comparator(_ comparison: NSComparisonPredicate) throws -> PropertyListValue {
    let type = comparison.predicateOperatorType
    let options = PropertyListValue.integer(Int64(comparison.options.rawValue))
    let code = Int64(type.rawValue)
    var fields: [String: PropertyListValue] = [
      "NSModifier": .integer(Int64(comparison.comparisonPredicateModifier.rawValue)),
      "NSOperatorType": .integer(code),
    ]
    switch type {
    case .equalTo, .notEqualTo:
      fields["NSNegate"] = .bool(type == .notEqualTo)
      fields["NSOptions"] = options
      return builder.add(.equalityOperator, fields)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      fields["NSVariant"] = .integer(code)
      fields["NSOptions"] = options
      return builder.add(.comparisonOperator, fields)
    case .between: return builder.add(.betweenOperator, fields)
    case .customSelector:
      throw ArchivedPredicate.Failure(
        reason: "a comparison by a method cannot be stored in a file.")
    case .matches, .like, .beginsWith, .endsWith, .in, .contains: break
    }
    fields["NSFlags"] = options
    switch type {
    case .like: return builder.add(.likeOperator, fields)
    case .matches: return builder.add(.matchesOperator, fields)
    case .beginsWith, .endsWith:
      // The position of the substring: 0 for the start of the text, 1 for the end.
      fields["NSSubstringPosition"] = .integer(type == .beginsWith ? 0 : 1)
      return builder.add(.substringOperator, fields)
    default: return builder.add(.inOperator, fields)
    }
  }
}
