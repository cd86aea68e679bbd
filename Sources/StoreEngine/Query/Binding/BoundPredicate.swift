/// A predicate of a request with every name resolved and every constant in its attribute's form.
///
/// It says which rows are members of a result: the store turns it into SQL, and objects that are
/// not saved are tried in memory, both with SQL's three-valued logic, so that the two never
/// disagree about NULL. Both call the same functions (`BoundFunction`). Tests compare the two with random predicates
/// over random rows.
package indirect enum BoundPredicate {
  /// A truth that no row changes; nil is unknown.
  case value(Bool?)
  case and([BoundPredicate])
  case or([BoundPredicate])
  case not(BoundPredicate)
  case isNull(BoundExpression)
  case compare(BoundExpression, Comparison, BoundExpression)
  /// Equality for which two NULLs are the same; never unknown.
  case identical(BoundExpression, BoundExpression)
  /// Whether the value is one of some, none of them NULL; unknown for NULL.
  case among(BoundExpression, [StoredValue])
  /// Whether a text is one of some by the options of the comparison; unknown for NULL.
  case amongTexts(BoundExpression, FoldedTexts)
  case between(BoundExpression, BoundExpression, BoundExpression)
  /// A string operator whose pattern is known; the matcher is made once.
  case match(BoundExpression, StringPattern)
  /// A string operator between two values of the row.
  case matchValues(
    BoundExpression, NSComparisonPredicate.Operator, BoundExpression, NSComparisonPredicate.Options)
  /// Whether any member of a to-many relationship passes; never unknown.
  case exists(BoundCollection, BoundPredicate)
  /// Whether no value of some members appears more often; never unknown.
  case isMode(BoundExpression, BoundValues)
  /// Whether the predicate is true, turning unknown into false.
  case isTrue(BoundPredicate)
  /// Whether the object's entity is one of these, subentities not meant.
  case isEntity(BoundPath, [EntityLayout])
  /// Whether a fetch index by place may have the row: it has all for which the condition beside this one is
  /// true. In memory, and where the store does not have the index, all rows pass; never unknown.
  case inIndex(IndexedRange)
  /// What objects alone can tell: a block, or what a transformable's value has; never unknown.
  case byObject(ObjectQuestion)

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

/// A string operator with its pattern, the matcher made once.
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

/// One sort descriptor of a request, resolved.
package struct BoundSort {
  package let key: BoundExpression
  package let ascending: Bool
  package let comparison: StringComparison
  /// What the object graph keeps with the descriptor.
  package let graph = Companion()

  package init(key: BoundExpression, ascending: Bool, comparison: StringComparison) {
    self.key = key
    self.ascending = ascending
    self.comparison = comparison
  }
}
