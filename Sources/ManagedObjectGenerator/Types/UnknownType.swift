import SwiftSyntax

/// A type that cannot be told from the sources.
struct UnknownType: Error {
  /// What is not understood.
  var node: Syntax
  /// Why, as a sentence's end after the type.
  var reason: String

  init(_ node: some SyntaxProtocol, _ reason: String) {
    self.node = Syntax(node)
    self.reason = reason
  }
}
