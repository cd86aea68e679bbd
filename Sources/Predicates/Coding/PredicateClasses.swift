// Classes for the names under which archives store predicates and operators.

/// A predicate that is always true.
final class TruePredicate: ConstantPredicate {}

/// A predicate that is always false.
final class FalsePredicate: ConstantPredicate {}

/// A predicate that contains Swift code. Reading one from an archive fails.
final class UnarchivablePredicate: NSPredicate {}

/// A comparison operator, which archives store as an object of its own.
class PredicateOperator: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  override class func classFallbacksForKeyedArchiver() -> [String] { CodingNames.hint(self) }

  let type: NSComparisonPredicate.Operator
  let modifier: NSComparisonPredicate.Modifier
  let options: NSComparisonPredicate.Options
  let selector: String?

  required init(_ comparison: NSComparisonPredicate) {
    type = comparison.predicateOperatorType
    modifier = comparison.comparisonPredicateModifier
    options = comparison.options
    selector = comparison.customSelector?.description
  }

  required init?(coder: NSCoder) {
    selector = Coding.text(coder, "NSSelectorName")
    let code = coder.decodeInteger(forKey: "NSOperatorType")
    guard code >= 0, let type = NSComparisonPredicate.Operator(rawValue: UInt(code)) else {
      Coding.fail(coder, "an operator has the unknown type \(code)")
      return nil
    }
    let modifierCode = coder.decodeInteger(forKey: "NSModifier")
    guard modifierCode >= 0,
      let modifier = NSComparisonPredicate.Modifier(rawValue: UInt(modifierCode))
    else {
      Coding.fail(coder, "an operator has the unknown modifier \(modifierCode)")
      return nil
    }
    self.type = type
    self.modifier = modifier
    // String operators store their options as flags.
    let key = coder.containsValue(forKey: "NSFlags") ? "NSFlags" : "NSOptions"
    options = NSComparisonPredicate.Options(
      // 15 is the mask of the four options. With other bits, equal comparisons would differ.
      rawValue: UInt(truncatingIfNeeded: coder.decodeInteger(forKey: key)) & 15)
  }

  func encode(with coder: NSCoder) {
    coder.encode(Int(type.rawValue), forKey: "NSOperatorType")
    coder.encode(Int(modifier.rawValue), forKey: "NSModifier")
    let bits = Int(options.rawValue)
    switch type {
    case .equalTo, .notEqualTo:
      coder.encode(type == .notEqualTo, forKey: "NSNegate")
      coder.encode(bits, forKey: "NSOptions")
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      coder.encode(Int(type.rawValue), forKey: "NSVariant")
      coder.encode(bits, forKey: "NSOptions")
    case .between: coder.encode(bits, forKey: "NSOptions")
    case .customSelector: coder.encode(selector, forKey: "NSSelectorName")
    case .beginsWith, .endsWith:
      // The position of the substring: 0 for the start of the text, 1 for the end.
      coder.encode(type == .beginsWith ? 0 : 1, forKey: "NSSubstringPosition")
      coder.encode(bits, forKey: "NSFlags")
    case .matches, .like, .in, .contains: coder.encode(bits, forKey: "NSFlags")
    }
  }

  /// Returns the operator of a comparison, in the class that archives use for it.
  static func of(_ comparison: NSComparisonPredicate) -> PredicateOperator {
    let kind: PredicateOperator.Type =
      switch comparison.predicateOperatorType {
      case .equalTo, .notEqualTo: EqualityPredicateOperator.self
      case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
        ComparisonPredicateOperator.self
      case .between: BetweenPredicateOperator.self
      case .customSelector: CustomPredicateOperator.self
      case .beginsWith, .endsWith: SubstringPredicateOperator.self
      case .matches: MatchingPredicateOperator.self
      case .like: LikePredicateOperator.self
      case .in, .contains: InPredicateOperator.self
      }
    return kind.init(comparison)
  }
}

final class EqualityPredicateOperator: PredicateOperator {}
final class ComparisonPredicateOperator: PredicateOperator {}
final class BetweenPredicateOperator: PredicateOperator {}
final class InPredicateOperator: PredicateOperator {}
final class MatchingPredicateOperator: PredicateOperator {}
final class LikePredicateOperator: PredicateOperator {}
final class SubstringPredicateOperator: PredicateOperator {}
final class CustomPredicateOperator: PredicateOperator {}
