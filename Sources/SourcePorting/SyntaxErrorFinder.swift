import SwiftSyntax

/// Finds the first syntax error in a source. It may report syntax of a newer version of Swift as an error, too.
final class SyntaxErrorFinder: SyntaxAnyVisitor {
  private var found: (place: AbsolutePosition, text: String)?

  /// - Returns: Nil for a source without syntax errors.
  static func first(in tree: SourceFileSyntax) -> (place: AbsolutePosition, text: String)? {
    guard tree.hasError else { return nil }
    // Other modes skip either missing tokens or unexpected ones.
    let finder = SyntaxErrorFinder(viewMode: .all)
    finder.walk(tree)
    return finder.found
  }

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    guard found == nil, node.hasError else { return .skipChildren }
    if let unexpected = node.as(UnexpectedNodesSyntax.self) {
      let text = unexpected.trimmedDescription.prefix { !$0.isNewline }
      note(node, text.isEmpty ? "this is not valid Swift" : "“\(text)” is not expected here")
    } else if let token = node.as(TokenSyntax.self) {
      let name = token.text.isEmpty ? "something" : "“\(token.text)”"
      note(node, token.presence == .missing ? "\(name) is missing here" : "this is not valid Swift")
    } else if node.is(MissingExprSyntax.self) || node.is(MissingDeclSyntax.self) {
      note(node, "something is missing here")
    }
    return found == nil ? .visitChildren : .skipChildren
  }

  /// Skips clauses for other versions of Swift, because they may contain unknown syntax. So may the clauses after them,
  /// such as `#else`.
  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    let clauses = node.parent?.as(IfConfigClauseListSyntax.self)
    let dependsOnVersion = clauses?.prefix { $0.position <= node.position }.contains { clause in
      let condition = clause.condition?.trimmedDescription ?? ""
      return condition.contains("swift(") || condition.contains("compiler(")
    }
    return dependsOnVersion == true ? .skipChildren : visitAny(Syntax(node))
  }

  private func note(_ node: Syntax, _ text: String) {
    found = (node.positionAfterSkippingLeadingTrivia, text)
  }
}
