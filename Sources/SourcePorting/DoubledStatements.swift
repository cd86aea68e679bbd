import SwiftParser
import SwiftSyntax

/// The statements and members that are written once for each kind of platform, since they have casts or observers that
/// need Objective-C, or accessors with attributes that do: before an accessor no condition may stand.
struct DoubledStatements {
  /// One that is longer is rewritten by hand rather than written twice.
  private static let longest = 12

  private let statements: [Syntax]

  init(_ tree: SourceFileSyntax) {
    let finder = Finder()
    finder.walk(tree)
    var statements: [Syntax] = []
    for statement in finder.statements where !statements.contains(where: { $0.holds(statement) }) {
      statements.removeAll { statement.holds($0) }
      statements.append(statement)
    }
    self.statements = statements
  }

  /// Whether a node is in one of the statements.
  func contain(_ node: some SyntaxProtocol) -> Bool {
    statements.contains { $0.holds(Syntax(node)) }
  }

  /// A source with its statements written twice: as they are between `#if canImport(ObjectiveC)` and `#else`,
  /// and to be ported after it.
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

  /// Finds the nearest statements of what can be rewritten.
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
      guard isApplesToo, let statement = node.statement,
        statement.trimmedDescription.split(whereSeparator: \.isNewline).count
          <= DoubledStatements.longest
      else { return }
      statements.append(statement)
    }
  }
}

extension Syntax {
  /// Whether a node is this one or in it.
  fileprivate func holds(_ node: Syntax) -> Bool { range.contains(node.range.lowerBound) }
}

extension SyntaxProtocol {
  /// The nearest statement, or member of a type, that a node is in, outside of texts: those have no lines for
  /// conditions.
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
