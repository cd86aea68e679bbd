extension NSPredicate: @retroactive NSSecureCoding {
  /// True: reading an archive calls no code but that of the classes that predicates are made of.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the predicate into an archive, under the keys that Apple's Foundation uses.
  ///
  /// A predicate made of Swift code, or with a constant of a type that archives do not keep,
  /// writes why it cannot be kept; reading it fails with that reason. ``Foundation/NSPredicate/archivedData()``
  /// throws it at once.
  public func encode(with coder: NSCoder) {
    Coding.encoding(
      coder, Archivability.refusal(of: self).map { "the predicate was not kept, because \($0)" }
    ) {
      switch shape {
      // The class says it; Foundation's own predicates have one class for both.
      case .constant(let value):
        if !(self is ConstantPredicate) { coder.encode(value, forKey: PredicateDecoder.valueKey) }
      case .comparison(let comparison):
        coder.encode(PredicateOperator.of(comparison), forKey: "NSPredicateOperator")
        coder.encode(comparison.leftExpression, forKey: "NSLeftExpression")
        coder.encode(comparison.rightExpression, forKey: "NSRightExpression")
      case .compound(let type, let parts):
        coder.encode(Int(type.rawValue), forKey: "NSCompoundPredicateType")
        coder.encode(NSArray(array: parts.map(PredicatePart.init)), forKey: "NSSubpredicates")
      case .block, .custom: break
      }
    }
  }

  /// An archive of the predicate, as `NSKeyedArchiver` makes it.
  ///
  /// - Throws: an ``InvalidPredicateError`` for a predicate that no archive can keep: one made of
  ///   Swift code, with a constant of an unknown type, or nested deeper than 250 levels.
  public func archivedData() throws -> Data {
    if let reason = Archivability.refusal(of: self) {
      throw InvalidPredicateError("The predicate cannot be archived: \(reason)")
    }
    return try NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)
  }

  /// Does nothing.
  ///
  /// Compared to Apple's Core Data: there a predicate from an archive must be allowed to evaluate,
  /// since it may call any method. Here predicates can call only the functions that they know, and
  /// may be evaluated at once.
  public func allowEvaluation() {}
}

extension NSSecureCoding where Self: NSPredicate {
  /// Reads a predicate from an archive.
  ///
  /// - Returns: nil for a damaged archive; the coder then has an error that says what is wrong.
  public init?(coder: NSCoder) {
    guard
      let predicate = Coding.decoding(
        coder, { try PredicateDecoder.predicate(coder, of: Self.self) }),
      let result = predicate as? Self
    else { return nil }
    self = result
  }
}

/// Makes predicates of the parts that archives keep.
enum PredicateDecoder {
  /// Whether one of Foundation's own predicates, which have one class for both, holds.
  static let valueKey = "NSConstantValue"

  static func predicate(_ coder: NSCoder, of type: NSPredicate.Type) throws -> NSPredicate {
    if type == TruePredicate.self { return TruePredicate(value: true) }
    if type == FalsePredicate.self { return FalsePredicate(value: false) }
    if coder.containsValue(forKey: "NSPredicateOperator") { return try comparison(coder) }
    if coder.containsValue(forKey: "NSCompoundPredicateType") { return try compound(coder) }
    if coder.containsValue(forKey: valueKey) {
      return NSPredicate(value: coder.decodeBool(forKey: valueKey))
    }
    throw InvalidPredicateError("a predicate is of an unknown kind")
  }

  private static func comparison(_ coder: NSCoder) throws -> NSPredicate {
    guard let comparator = Coding.object(coder, "NSPredicateOperator") as? PredicateOperator else {
      throw InvalidPredicateError("a comparison has no operator")
    }
    let left = try Coding.expression(coder, "NSLeftExpression")
    let right = try Coding.expression(coder, "NSRightExpression")
    if comparator.type == .customSelector {
      guard let selector = comparator.selector else {
        throw InvalidPredicateError("a comparison by a method has no selector")
      }
      return NSComparisonPredicate(
        leftExpression: left, rightExpression: right, customSelector: Selector(selector))
    }
    return NSComparisonPredicate(
      leftExpression: left, rightExpression: right, modifier: comparator.modifier,
      type: comparator.type, options: comparator.options)
  }

  private static func compound(_ coder: NSCoder) throws -> NSPredicate {
    let code = coder.decodeInteger(forKey: "NSCompoundPredicateType")
    guard code >= 0, let type = NSCompoundPredicate.LogicalType(rawValue: UInt(code)) else {
      throw InvalidPredicateError("a compound predicate has the unknown type \(code)")
    }
    guard let parts = Coding.object(coder, "NSSubpredicates") as? [NSPredicate] else {
      throw InvalidPredicateError("a compound predicate has no parts")
    }
    guard type != .not || parts.count == 1 else {
      throw InvalidPredicateError("NOT takes one predicate, not \(parts.count)")
    }
    return NSCompoundPredicate(type: type, subpredicates: parts)
  }
}
