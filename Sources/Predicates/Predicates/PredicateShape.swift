/// The structure of a predicate, for code that walks predicates.
package enum PredicateShape {
  /// Always or never true.
  case constant(Bool)
  /// A comparison of two expressions.
  case comparison(NSComparisonPredicate)
  /// Predicates joined by AND or OR, or negated by NOT.
  case compound(NSCompoundPredicate.LogicalType, [NSPredicate])
  /// Swift code, which is opaque.
  case block
  /// A subclass from outside this module, which evaluates itself.
  case custom
}

extension NSPredicate {
  /// The structure of the predicate, regardless of whether its class is Foundation's or ours.
  package var shape: PredicateShape {
    // Nearly all predicates have one of these two classes, and comparing classes costs a tenth of a cast.
    if let comparison = plainComparison { return .comparison(comparison) }
    if let compound = plainCompound {
      return .compound(compound.compoundPredicateType, compound.subpredicates)
    }
    switch self {
    case let comparison as NSComparisonPredicate:
      return .comparison(comparison)
    case let compound as Foundation.NSCompoundPredicate:
      return .compound(compound.compoundPredicateType, compound.subpredicates)
    case let constant as ConstantPredicate:
      return .constant(constant.value)
    default:
      guard type(of: self) == NSPredicate.self else { return .custom }
      // Foundation's constant and block predicates have the same class and differ only in their
      // strings.
      switch foundationFormat(of: self) {
      case "TRUEPREDICATE": return .constant(true)
      case "FALSEPREDICATE": return .constant(false)
      default: return .block
      }
    }
  }
}

extension NSPredicate {
  /// The predicate as a comparison, if its class is exactly `NSComparisonPredicate`.
  var plainComparison: NSComparisonPredicate? {
    type(of: self) == NSComparisonPredicate.self
      ? unsafeDowncast(self, to: NSComparisonPredicate.self) : nil
  }

  /// The predicate as a compound, if its class is exactly the library's `NSCompoundPredicate`.
  var plainCompound: NSCompoundPredicate? {
    type(of: self) == NSCompoundPredicate.self
      ? unsafeDowncast(self, to: NSCompoundPredicate.self) : nil
  }
}

private protocol FormatDescribing {
  var predicateFormat: String { get }
}

extension NSPredicate: FormatDescribing {}

/// Returns a predicate's text in the predicate language.
///
/// The text is also the only thing that distinguishes the private kinds of Foundation's own predicates. Foundation
/// marks `predicateFormat` as deprecated; reading it through a protocol avoids the warning.
package func foundationFormat(of predicate: NSPredicate) -> String {
  func format<Described: FormatDescribing>(of described: Described) -> String {
    described.predicateFormat
  }
  return format(of: predicate)
}
