// Predicates as archives name them.

/// A predicate that always holds.
final class TruePredicate: ConstantPredicate {}

/// A predicate that never holds.
final class FalsePredicate: ConstantPredicate {}

/// A predicate of Swift code in an archive: reading it fails.
final class UnarchivablePredicate: NSPredicate {}

/// An operator as archives keep it: an object beside the two sides of a comparison.
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
    guard let type = NSComparisonPredicate.Operator(rawValue: UInt(clamping: code)), code >= 0,
      let modifier = NSComparisonPredicate.Modifier(
        rawValue: UInt(clamping: coder.decodeInteger(forKey: "NSModifier")))
    else {
      Coding.fail(coder, "an operator has the unknown type \(code)")
      return nil
    }
    self.type = type
    self.modifier = modifier
    // Strings keep their options as flags.
    let key = coder.containsValue(forKey: "NSFlags") ? "NSFlags" : "NSOptions"
    let bits = NSComparisonPredicate.Options(
      rawValue: UInt(truncatingIfNeeded: coder.decodeInteger(forKey: key)) & 15)
    // Numbers are ordered by operators that carry such flags without a meaning.
    options = bits
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
      // Where in the text the substring stands: at its start or at its end.
      coder.encode(type == .beginsWith ? 0 : 1, forKey: "NSSubstringPosition")
      coder.encode(bits, forKey: "NSFlags")
    case .matches, .like, .in, .contains: coder.encode(bits, forKey: "NSFlags")
    }
  }

  /// The operator of a comparison, of the class that archives name.
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
