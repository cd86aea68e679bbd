/// Whether an archive can keep a predicate or expression.
enum Archivability {
  /// Why it cannot; nil when it can.
  static func refusal(of root: NSPredicate) -> String? { refusal(of: .predicate(root)) }

  /// Why it cannot; nil when it can.
  static func refusal(of root: NSExpression) -> String? { refusal(of: .expression(root)) }

  /// Walks with a list of its own, whatever the depth.
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
          // Of what is deeper than any stack has room for not even the members are looked at.
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
