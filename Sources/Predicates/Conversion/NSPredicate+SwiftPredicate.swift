extension NSPredicate {
  /// Creates a predicate with the same condition as Swift's `#Predicate`; nil if a part of it has no
  /// form in the predicate language.
  ///
  /// ```swift
  /// request.predicate = NSPredicate(#Predicate<Person> { $0.age > 30 && $0.team?.name == "A" })
  /// ```
  ///
  /// The conversion produces the same forms as Apple's Foundation: a closure over a sequence becomes a
  /// SUBQUERY, an optional chain a TERNARY, a captured value a constant. A part that has no form and
  /// depends on no variable is evaluated immediately. There is no form for integer division and
  /// remainder, force unwraps, casts, regular expressions, subscripts with a range or a default value,
  /// and key paths that are not paths of stored properties.
  ///
  /// For an input type that provides its keys, such as a managed object's class, call the initializer
  /// with `try` to find out which part has no form.
  public convenience init?<Input>(_ predicate: Predicate<Input>) {
    guard let converted = try? PredicateConverter.predicate(predicate) as? Self else {
      return nil
    }
    self.init(_replacing: converted)
  }

  /// Creates a predicate with the same condition as Swift's `#Predicate` over objects that provide
  /// their keys, such as managed objects.
  ///
  /// ```swift
  /// let predicate = try NSPredicate(#Predicate<Person> { $0.age > limit })
  /// ```
  ///
  /// - Throws: an ``InvalidPredicateError`` that names the part without a form in the predicate
  ///   language.
  ///
  /// Compared to Apple's Core Data: there only the failable initializer exists. It works here too:
  /// a call without `try` selects it.
  public convenience init<Input: NSKeyValueCoding>(_ predicate: Predicate<Input>) throws {
    let converted = try PredicateConverter.predicate(predicate)
    guard let replacement = converted as? Self else {
      throw InvalidPredicateError("#Predicate converts to an NSPredicate, not a \(Self.self)")
    }
    self.init(_replacing: replacement)
  }
}
