extension NSPredicate: @retroactive TextOutputStreamable {
  /// Writes the predicate's text, for `print(predicate)` and `"\(predicate)"`.
  ///
  /// `NSPredicate(value:)` and `NSPredicate(block:)` create objects of Foundation's class, whose `description` is an
  /// address and cannot be overridden outside Foundation. Printing prefers this conformance to the description.
  public func write<Target: TextOutputStream>(to target: inout Target) {
    target.write(type(of: self) == NSPredicate.self ? PredicatePrinter.text(of: self) : description)
  }
}
