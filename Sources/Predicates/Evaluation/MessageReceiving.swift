/// An object whose methods predicates can call by name: `FUNCTION(receiver, "selector:", …)`.
package protocol MessageReceiving {
  /// Returns the method's result; nil if the object does not have the method.
  func answer(to selector: String, arguments: [Any?]) throws -> MessageAnswer?
}

/// The result of a method that was called by name.
package struct MessageAnswer {
  /// The value, which may be nil.
  package let value: Any?

  /// Creates a result from a value.
  package init(_ value: Any?) { self.value = value }
}
