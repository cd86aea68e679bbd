/// Decides whether an archive can hold a predicate or expression.
enum Archivability {
  /// Returns the reason why a predicate cannot be archived; nil if it can.
  static func refusal(of root: NSPredicate) -> String? { refusal(of: .predicate(root)) }

  /// Returns the reason why an expression cannot be archived; nil if it can.
  static func refusal(of root: NSExpression) -> String? { refusal(of: .expression(root)) }

  /// Walks the tree with an explicit stack, so that its depth does not matter.
  private static func refusal(of root: TreePart) -> String? {
    var open = [(part: root, depth: 0)]
    while let (part, depth) = open.popLast() {
      guard depth < Coding.maximumDepth / 2 else {
        return "it nests deeper than \(Coding.maximumDepth / 2) levels"
      }
      switch part {
      case .predicate(let predicate):
        switch predicate.shape {
        case .constant, .compound, .comparison: break
        case .block: return "it contains a predicate made of Swift code"
        case .custom: return "it contains a predicate of the class \(type(of: predicate))"
        }
      case .expression(let expression):
        switch expression.node {
        case .constant(let value):
          // Reading the members of a more deeply nested value could overflow the stack.
          guard expression.height <= LargeStack.safeHeight, CodedConstant.object(value) != nil
          else {
            return
              "it contains a constant of type \(flattenOptional(value).map { "\(type(of: $0))" } ?? "nil")"
          }
        case .block: return "it contains an expression made of Swift code"
        case .custom: return "it contains an expression of the class \(type(of: expression))"
        default: break
        }
      }
      open += part.parts.map { ($0, depth + 1) }
    }
    return nil
  }
}
