import SourceReading
import SwiftSyntax

/// Visits the parts of a source that platforms other than Apple's compile.
class PortableCodeVisitor: SyntaxVisitor {
  /// Whether Apple's platforms also compile the visited part.
  private(set) var isApplesToo = true

  init() { super.init(viewMode: .sourceAccurate) }

  /// Skips clauses that other platforms do not compile.
  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
    let around = isApplesToo
    defer { isApplesToo = around }
    var applesHaveOne = false
    for clause in node.clauses {
      let apples = clause.condition.map { CompilationCondition($0, on: .apples) } ?? .holds
      let others = clause.condition.map { CompilationCondition($0, on: .others) } ?? .holds
      if others != .fails, let elements = clause.elements {
        isApplesToo = around && !applesHaveOne && apples != .fails
        walk(elements)
      }
      if others == .holds { break }
      applesHaveOne = applesHaveOne || apples == .holds
    }
    return .skipChildren
  }
}
