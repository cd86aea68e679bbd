import SwiftParser
import SwiftSyntax

/// The statements and members that are written twice, once for each kind of platform, because they contain casts,
/// observers or attributes of accessors that need Objective-C, and Swift allows no `#if` around such a part alone.
struct DoubledStatements {
  /// The maximum length of such a statement in lines; longer ones have to be rewritten by hand.
  private static let longest = 12

  private let statements: [Syntax]

  init(_ tree: SourceFileSyntax) {
    let finder = Finder()
    finder.walk(tree)
    var statements: [Syntax] = []
    // Of nested statements, only the outermost is written twice.
    for statement in finder.statements where !statements.contains(where: { $0.holds(statement) }) {
      statements.removeAll { statement.holds($0) }
      statements.append(statement)
    }
    self.statements = statements
  }

  /// Returns whether a node is inside one of the statements.
  func contain(_ node: some SyntaxProtocol) -> Bool {
    statements.contains { $0.holds(Syntax(node)) }
  }

  /// Returns a source with each of these statements written twice: after `#if canImport(ObjectiveC)`, and again after
  /// `#else`. `SourcePorter` then ports the second copy.
  static func applied(to source: String) -> String {
    let tree = Parser.parse(source: source)
    let doubled = DoubledStatements(tree)
    if doubled.statements.isEmpty { return source }
    let layout = SourceLayout(tree)
    var edits = SourceEdits()
    for statement in doubled.statements {
      edits.wrap(
        statement, inIf: "canImport(ObjectiveC)", else: statement.trimmedDescription, in: layout)
    }
    return edits.applied(to: source)
  }

  /// Finds the nearest statements around code that can be rewritten.
  private final class Finder: PortableCodeVisitor {
    private(set) var statements: [Syntax] = []

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
      if UnportableCast.all(in: node).contains(where: { $0.call != nil }) { note(Syntax(node)) }
      return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
      if SelectorObserver(node) != nil { note(Syntax(node)) }
      return .visitChildren
    }

    override func visit(_ node: AccessorDeclSyntax) -> SyntaxVisitorContinueKind {
      if node.attributes.contains(where: \.needsObjectiveC) { note(Syntax(node)) }
      return .visitChildren
    }

    private func note(_ node: Syntax) {
      // Code that only other platforms compile is rewritten in place.
      guard isApplesToo, let statement = node.statement,
        statement.trimmedDescription.split(whereSeparator: \.isNewline).count
          <= DoubledStatements.longest
      else { return }
      statements.append(statement)
    }
  }
}

extension Syntax {
  /// Returns whether a node is this one or inside it.
  fileprivate func holds(_ node: Syntax) -> Bool { range.contains(node.range.lowerBound) }
}

extension SyntaxProtocol {
  /// The nearest statement or member that contains a node, outside of string literals, where `#if` is impossible.
  fileprivate var statement: Syntax? {
    var nearest: Syntax?
    for node in ancestors {
      if node.is(StringLiteralExprSyntax.self) {
        nearest = nil
      } else if nearest == nil,
        node.is(CodeBlockItemSyntax.self) || node.is(MemberBlockItemSyntax.self)
      {
        nearest = node
      }
    }
    return nearest
  }
}
