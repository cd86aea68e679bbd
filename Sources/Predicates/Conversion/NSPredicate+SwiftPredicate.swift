extension NSPredicate {
  /// Creates a predicate with the same condition as Swift's `#Predicate`; nil if a part of it has no
  /// form in the predicate language.
  ///
  /// ```swift
  /// request.predicate = NSPredicate(#Predicate<Player> { $0.age > 30 && $0.team?.name == "Red" })
  /// ```
  ///
  /// The conversion produces the same forms as Apple's Foundation: a closure over a sequence becomes a
  /// SUBQUERY, an optional chain a TERNARY, a captured value a constant. A part that has no form and
  /// depends on no variable is evaluated immediately. There is no form for integer division and
  /// remainder, force unwraps, casts, regular expressions, subscripts with a range or a default value,
  /// or key paths that are not paths of stored properties.
  ///
  /// ``init(validating:)`` throws an error that identifies the part without a form.
  public convenience init?<Input>(_ predicate: Predicate<Input>) {
    guard let converted = try? PredicateConverter.predicate(predicate) as? Self else {
      return nil
    }
    self.init(_replacing: converted)
  }

  /// Creates a predicate with the same condition as Swift's `#Predicate`, or throws an error that identifies the
  /// part without a form in the predicate language.
  ///
  /// ```swift
  /// let predicate = try NSPredicate(validating: #Predicate<Player> { $0.age > 30 })
  /// ```
  ///
  /// - Throws: An ``InvalidPredicateError``.
  ///
  /// Compared to Apple's Core Data: there only the failable initializer exists.
  public convenience init<Input>(validating predicate: Predicate<Input>) throws {
    let converted = try PredicateConverter.predicate(predicate)
    // `Self` may be a subclass, such as `NSCompoundPredicate`, and the result an instance of another subclass.
    guard let replacement = converted as? Self else {
      throw InvalidPredicateError("#Predicate converts to an NSPredicate, not a \(Self.self)")
    }
    self.init(_replacing: replacement)
  }

  /// The former name of ``init(validating:)``.
  @_disfavoredOverload
  // If this initializer were not disfavored, the compiler would prefer it to the failable one, and
  // `request.predicate = NSPredicate(#Predicate<Person> { … })` would not compile without `try`.
  @available(*, deprecated, renamed: "init(validating:)")
  public convenience init<Input: NSKeyValueCoding>(_ predicate: Predicate<Input>) throws {
    try self.init(validating: predicate)
  }
}
