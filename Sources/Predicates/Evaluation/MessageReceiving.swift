/// An object that is sent messages by name, by `FUNCTION(receiver, "selector:", …)`.
package protocol MessageReceiving {
  /// What the object answers; nil for a message that it does not know.
  func answer(to selector: String, arguments: [Any?]) throws -> MessageAnswer?
}

/// What a message gives.
package struct MessageAnswer {
  /// The value; nil for none.
  package let value: Any?

  /// An answer of a value.
  package init(_ value: Any?) { self.value = value }
}
