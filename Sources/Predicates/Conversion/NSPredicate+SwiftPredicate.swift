extension NSPredicate {
  /// The same condition as one of Swift's `#Predicate`; nil where a part of it has no form in the
  /// predicate language.
  ///
  /// ```swift
  /// let isOlder = #Predicate<Player> { $0.age > 30 && $0.team?.name == "Red" }
  /// request.predicate = NSPredicate(isOlder)
  /// ```
  ///
  /// The forms are those of Apple's Foundation: a closure over a sequence becomes a SUBQUERY, an
  /// optional chain a TERNARY, a captured value a constant. A part that has no form but depends on
  /// no variable is evaluated now. There is none for integer division and remainder, force
  /// unwraps, casts, regular expressions, subscripts by a range or with a default, and for key
  /// paths that name no property.
  ///
  /// To learn which part it is, ask with `try` for a type that tells its keys, such as a managed
  /// object's class.
  public convenience init?<Input>(_ predicate: Predicate<Input>) {
    guard let converted = try? PredicateConverter.predicate(predicate) as? Self else {
      return nil
    }
    self.init(_replacing: converted)
  }

  /// The same condition as one of Swift's `#Predicate` over objects that tell their keys, such as
  /// managed objects.
  ///
  /// ```swift
  /// let limit: Int16 = 30
  /// let predicate = try NSPredicate(#Predicate<Person> { $0.age > limit })
  /// ```
  ///
  /// - Throws: an ``InvalidPredicateError`` that names the part without a form in the predicate
  ///   language.
  ///
  /// Compared to Apple's Core Data: there only the failable form exists, which works here too,
  /// wherever there is no `try`.
  public convenience init<Input: NSKeyValueCoding>(_ predicate: Predicate<Input>) throws {
    let converted = try PredicateConverter.predicate(predicate)
    guard let replacement = converted as? Self else {
      throw InvalidPredicateError("#Predicate converts to an NSPredicate, not a \(Self.self)")
    }
    self.init(_replacing: replacement)
  }
}
