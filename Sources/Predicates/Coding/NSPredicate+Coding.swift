extension NSPredicate: @retroactive NSSecureCoding {
  /// Always `true`: reading an archive creates only predicates and their parts, and plain values.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the predicate into an archive, under the keys that Apple's Foundation uses.
  ///
  /// If an archive cannot hold the predicate, this method writes the reason instead, and reading the archive fails with
  /// that reason. ``Foundation/NSPredicate/archivedData()`` throws the error immediately.
  public func encode(with coder: NSCoder) {
    Coding.encoding(
      coder, Archivability.refusal(of: self).map { "the predicate was not archived, because \($0)" }
    ) {
      switch shape {
      // The class distinguishes true from false, except for Foundation's own predicates, which share one class.
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

  /// Returns an archive of the predicate, in the format of `NSKeyedArchiver`.
  ///
  /// - Throws: An ``InvalidPredicateError`` if an archive cannot hold the predicate: it contains Swift code, a
  ///   predicate or expression that evaluates itself (such as an ``NSFetchRequestExpression``), or a constant that is
  ///   of an unsupported type or a collection of 16 or more levels; or it is nested deeper than 250 levels.
  ///
  /// ```swift
  /// let data = try NSPredicate(format: "age >= 18").archivedData()
  /// UserDefaults.standard.set(data, forKey: "filter")
  /// ```
  public func archivedData() throws -> Data {
    if let reason = Archivability.refusal(of: self) {
      throw InvalidPredicateError("The predicate cannot be archived: \(reason)")
    }
    return try NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)
  }

  /// Does nothing.
  ///
  /// Compared to Apple's Core Data: there, a program must call this method before it evaluates a predicate from an
  /// archive, because the predicate may call any method. Here, a predicate can call only predefined functions, certain
  /// methods that this library implements, and the functions of a migration. So no permission is needed.
  public func allowEvaluation() {}
}

extension NSSecureCoding where Self: NSPredicate {
  /// Reads a predicate from an archive.
  ///
  /// - Returns: Nil for a damaged archive. If the coder's `decodingFailurePolicy` is `.setErrorAndReturn`, its error
  ///   contains the reason.
  public init?(coder: NSCoder) {
    guard
      let predicate = Coding.decoding(
        coder, { try PredicateDecoder.predicate(coder, of: Self.self) }),
      let result = predicate as? Self
    else { return nil }
    self = result
  }
}

/// Creates predicates from the parts in an archive.
enum PredicateDecoder {
  /// The key for the value of Foundation's own constant predicates, which share one class for true and false.
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
    // Check this here, because the initializer would stop the program, which a damaged archive must not do.
    guard type != .not || parts.count == 1 else {
      throw InvalidPredicateError("NOT needs exactly one subpredicate, not \(parts.count)")
    }
    return NSCompoundPredicate(type: type, subpredicates: parts)
  }
}
