import SwiftSyntax

/// A type that cannot be determined from the sources.
struct UnknownType: Error {
  /// The part that is not understood.
  var node: Syntax
  /// The reason, as the end of a sentence that begins with the type.
  var reason: String

  init(_ node: some SyntaxProtocol, _ reason: String) {
    self.node = Syntax(node)
    self.reason = reason
  }
}
