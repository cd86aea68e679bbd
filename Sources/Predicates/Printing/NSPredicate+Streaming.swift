extension NSPredicate: @retroactive TextOutputStreamable {
  /// Writes the predicate's text, for `print(predicate)` and `"\(predicate)"`.
  ///
  /// `NSPredicate(value:)` and `NSPredicate(block:)` make a class of Foundation whose `description` is an address, which
  /// cannot be overridden from outside it. Printing asks for this conformance before the description.
  public func write<Target: TextOutputStream>(to target: inout Target) {
    target.write(type(of: self) == NSPredicate.self ? PredicatePrinter.text(of: self) : description)
  }
}
