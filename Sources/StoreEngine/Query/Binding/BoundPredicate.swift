/// A predicate of a request with resolved names, and with constants in the stored form of the attributes that
/// they are compared with.
///
/// It determines which objects are in a result. The store converts it to SQL, and unsaved objects are evaluated in
/// memory. Both use the three-valued logic of SQL and the same functions (`BoundFunction`), so they agree about NULL.
/// Tests compare the two with random predicates over random rows.
package indirect enum BoundPredicate {
  /// A truth value for all rows; nil is unknown.
  case value(Bool?)
  case and([BoundPredicate])
  case or([BoundPredicate])
  case not(BoundPredicate)
  case isNull(BoundExpression)
  case compare(BoundExpression, Comparison, BoundExpression)
  /// Equality that treats two NULLs as equal. Never unknown.
  case identical(BoundExpression, BoundExpression)
  /// Whether a value is in a list without NULL. Unknown for NULL.
  case among(BoundExpression, [StoredValue])
  /// Whether a string is in a list, with the options of the comparison. Unknown for NULL.
  case amongTexts(BoundExpression, FoldedTexts)
  case between(BoundExpression, BoundExpression, BoundExpression)
  /// A string operator with a constant pattern, whose matcher is created once.
  case match(BoundExpression, StringPattern)
  /// A string operator between two values of the row.
  case matchValues(
    BoundExpression, NSComparisonPredicate.Operator, BoundExpression, NSComparisonPredicate.Options)
  /// Whether any member of a to-many relationship satisfies a condition. Never unknown.
  case exists(BoundCollection, BoundPredicate)
  /// Whether a value is a mode of some members' values: no other value occurs more often. Never unknown.
  case isMode(BoundExpression, BoundValues)
  /// Whether the predicate is true. Converts unknown to false.
  case isTrue(BoundPredicate)
  /// Whether the object's entity is in a list, without subentities.
  case isEntity(BoundPath, [EntityLayout])
  /// Whether a row is in a range of an R-tree index. It is joined by AND to a condition that implies it, so that the
  /// store finds the rows by the index. In memory, and if the store lacks the index, it is true for all rows. Never
  /// unknown.
  case inIndex(IndexedRange)
  /// A condition that can only be evaluated with objects: a block, or a condition on a transformable value or on one of
  /// its properties. Never unknown.
  case byObject(ObjectPredicate)

  package enum Comparison: String {
    case equal = "="
    case notEqual = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    package func holds(_ order: Int) -> Bool {
      switch self {
      case .equal: order == 0
      case .notEqual: order != 0
      case .less: order < 0
      case .lessOrEqual: order <= 0
      case .greater: order > 0
      case .greaterOrEqual: order >= 0
      }
    }
  }
}

/// A string operator with its pattern. The matcher is created once.
package struct StringPattern {
  package let type: NSComparisonPredicate.Operator
  package let options: NSComparisonPredicate.Options
  package let pattern: String
  package let matcher: StringMatcher

  package init(
    _ type: NSComparisonPredicate.Operator, options: NSComparisonPredicate.Options, pattern: String
  ) throws {
    self.type = type
    self.options = options
    self.pattern = pattern
    matcher = try StringMatcher(type, options: options, pattern: pattern)
  }
}

/// A sort descriptor of a request with resolved names.
package struct BoundSort {
  package let key: BoundExpression
  package let ascending: Bool
  package let comparison: StringComparison
  /// State that the object graph associates with the descriptor.
  package let graph = Companion()

  package init(key: BoundExpression, ascending: Bool, comparison: StringComparison) {
    self.key = key
    self.ascending = ascending
    self.comparison = comparison
  }
}
