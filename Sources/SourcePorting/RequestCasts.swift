import SwiftSyntax

/// `request as! NSFetchRequest<Person>`: with Objective-C a request is of any type; in Swift one is made of
/// the other.
struct RequestCast {
  let node: SequenceExprSyntax
  /// What takes its place.
  let replacement: String

  init?(_ node: SequenceExprSyntax) {
    let elements = Array(node.elements)
    guard
      let place = elements.firstIndex(where: {
        $0.as(UnresolvedAsExprSyntax.self)?.questionOrExclamationMark != nil
      }), place == 1, elements.count == 3,
      let cast = elements[1].as(UnresolvedAsExprSyntax.self),
      let type = elements[2].as(TypeExprSyntax.self)?.type.as(IdentifierTypeSyntax.self),
      type.name.text == "NSFetchRequest", type.genericArgumentClause != nil
    else { return nil }
    self.node = node
    let mark = cast.questionOrExclamationMark?.text == "!" ? "!" : ""
    replacement = "\(type.trimmedDescription)(casting: \(elements[0].trimmedDescription))\(mark)"
  }

  /// Finds the casts below a node.
  fileprivate final class Finder: SyntaxVisitor {
    private(set) var casts: [RequestCast] = []

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
      guard let cast = RequestCast(node) else { return .visitChildren }
      casts.append(cast)
      return .skipChildren
    }
  }
}

extension SourcePorter {
  /// A statement that is longer than this is rewritten by hand rather than written twice.
  private static let longest = 12

  /// Writes the statement of a cast once for each kind of platform.
  func noteCast(_ cast: RequestCast) {
    var statement = cast.node.parent
    while let current = statement, !current.is(CodeBlockItemSyntax.self),
      !current.is(MemberBlockItemSyntax.self)
    {
      statement = current.parent
    }
    guard let statement, castStatements.insert(statement.id).inserted else { return }
    let text = statement.trimmedDescription
    guard text.split(separator: "\n").count <= Self.longest else {
      return report(cast.node, Advice.requestCast)
    }
    let finder = RequestCast.Finder(viewMode: .sourceAccurate)
    finder.walk(statement)
    let start = statement.positionAfterSkippingLeadingTrivia
    var bytes = Array(text.utf8)
    for cast in finder.casts.reversed() {
      let from = cast.node.positionAfterSkippingLeadingTrivia.utf8Offset - start.utf8Offset
      let to = cast.node.endPositionBeforeTrailingTrivia.utf8Offset - start.utf8Offset
      bytes.replaceSubrange(from..<to, with: cast.replacement.utf8)
    }
    let line = SourceLine(of: statement)
    let remark = "a request is no request of another type in Swift: one is made of the other"
    replace(
      start..<start,
      with: "\(line.isBegun ? "\n\(line.indent)" : "")#if canImport(ObjectiveC)\n\(line.indent)",
      remark)
    let end = statement.endPositionBeforeTrailingTrivia
    var rest = "\n\(line.indent)#else\n\(line.indent)"
    rest += "\(String(decoding: bytes, as: UTF8.self))\n\(line.indent)#endif"
    // Conditions stand on lines of their own.
    if !statement.isLastOfLine { rest += "\n\(line.indent)" }
    replace(end..<end, with: rest, remark)
  }
}
