/// The names under which Apple's Foundation archives the parts of predicates: most are of classes
/// that only it knows.
///
/// Reading: the names are made known to `NSKeyedUnarchiver` when the program is loaded. Writing:
/// Foundation here writes a class's own name only, so the stand-ins name Apple's class as the one
/// to fall back to (`$classhints`), which unarchivers look for where a class does not exist.
enum CodingNames {
  static let classes: [String: AnyClass] = [
    "NSPredicate": NSPredicate.self,
    "NSComparisonPredicate": NSComparisonPredicate.self,
    "NSCompoundPredicate": NSCompoundPredicate.self,
    "NSTruePredicate": TruePredicate.self,
    "NSFalsePredicate": FalsePredicate.self,
    "NSBlockPredicate": UnarchivablePredicate.self,
    "NSExpression": NSExpression.self,
    "NSSelfExpression": SelfExpression.self,
    "NSConstantValueExpression": ConstantValueExpression.self,
    "NSVariableExpression": VariableExpression.self,
    "NSKeyPathExpression": KeyPathExpression.self,
    "NSKeyPathSpecifierExpression": KeyPathSpecifierExpression.self,
    "NSFunctionExpression": FunctionExpression.self,
    "NSSetExpression": SetExpression.self,
    "NSSubqueryExpression": SubqueryExpression.self,
    "NSAggregateExpression": AggregateExpression.self,
    "NSAnyKeyExpression": AnyKeyExpression.self,
    "NSBlockExpression": BlockExpression.self,
    "NSTernaryExpression": TernaryExpression.self,
    "NSPredicateOperator": PredicateOperator.self,
    "NSEqualityPredicateOperator": EqualityPredicateOperator.self,
    "NSComparisonPredicateOperator": ComparisonPredicateOperator.self,
    "NSBetweenPredicateOperator": BetweenPredicateOperator.self,
    "NSInPredicateOperator": InPredicateOperator.self,
    "NSStringPredicateOperator": MatchingPredicateOperator.self,
    "NSMatchingPredicateOperator": MatchingPredicateOperator.self,
    "NSLikePredicateOperator": LikePredicateOperator.self,
    "NSSubstringPredicateOperator": SubstringPredicateOperator.self,
    "NSCustomPredicateOperator": CustomPredicateOperator.self,
    "NSDecimalNumberPlaceholder": ArchivedDecimal.self,
  ]

  /// Makes the names known; the second time it does nothing.
  static func register() { _ = registration }

  private static let registration: Void = {
    for (name, type): (String, AnyClass) in classes {
      NSKeyedUnarchiver.setClass(type, forClassName: name)
    }
  }()

  /// Apple's name for a stand-in.
  static func hint(_ type: AnyClass) -> [String] {
    classes.filter { $0.value == type && $0.key != "NSStringPredicateOperator" }.map(\.key)
  }

  /// All classes that may stand in an archive of a predicate, a sort descriptor or a constant.
  static let allowed: [AnyClass] =
    Array(classes.values) + [
      NSString.self, NSNumber.self, NSDate.self, NSData.self, NSUUID.self, NSURL.self,
      NSNull.self, NSArray.self, NSSet.self, NSOrderedSet.self, NSDictionary.self,
    ]
}

#if os(Linux) || os(Android) || os(FreeBSD)
  /// Runs when the program is loaded: an archive may be the first thing that it touches.
  @section(".init_array") @used
  private let registerAtLoad: @convention(c) () -> Void = { CodingNames.register() }
#endif
