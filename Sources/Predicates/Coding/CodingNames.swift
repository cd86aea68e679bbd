/// The names under which Apple's Foundation archives the parts of predicates. Most of them are names of
/// its private classes.
///
/// For reading, the names are registered with `NSKeyedUnarchiver` when the program is loaded. For writing, Foundation
/// outside of Apple's platforms records only a class's own name. So each substitute class names Apple's class as a
/// fallback (`$classhints`), which unarchivers look up if the first class does not exist.
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

  /// Registers the names with `NSKeyedUnarchiver`; further calls do nothing.
  static func register() { _ = registration }

  private static let registration: Void = {
    for (name, type): (String, AnyClass) in classes {
      NSKeyedUnarchiver.setClass(type, forClassName: name)
    }
  }()

  /// Returns Apple's names for a substitute class.
  static func hint(_ type: AnyClass) -> [String] {
    // In Apple's archives, `NSStringPredicateOperator` occurs only as the superclass of other operators.
    classes.filter { $0.value == type && $0.key != "NSStringPredicateOperator" }.map(\.key)
  }

  /// All classes that an archive of a predicate, a sort descriptor or a constant may contain.
  static let allowed: [AnyClass] =
    Array(classes.values) + [
      NSString.self, NSNumber.self, NSDate.self, NSData.self, NSUUID.self, NSURL.self,
      NSNull.self, NSArray.self, NSSet.self, NSOrderedSet.self, NSDictionary.self,
    ]
}

#if os(Linux) || os(Android) || os(FreeBSD)
  /// Runs when the program is loaded, because reading an archive may be the first use of this module.
  @section(".init_array") @used
  private let registerAtLoad: @convention(c) () -> Void = { CodingNames.register() }
#endif
