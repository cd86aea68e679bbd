import SourceReading
import SwiftSyntax

/// Goes through what platforms beyond Apple's compile of a source.
class PortableCodeVisitor: SyntaxVisitor {
  /// Whether Apple's platforms compile what is visited as well.
  private(set) var isApplesToo = true

  init() { super.init(viewMode: .sourceAccurate) }

  /// Clauses that other platforms do not compile stay as they are.
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
