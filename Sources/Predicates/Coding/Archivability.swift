/// Whether an archive can keep a predicate or expression.
enum Archivability {
  /// Why it cannot; nil when it can.
  static func refusal(of root: NSPredicate) -> String? { refusal(of: .predicate(root)) }

  /// Why it cannot; nil when it can.
  static func refusal(of root: NSExpression) -> String? { refusal(of: .expression(root)) }

  private enum Part {
    case predicate(NSPredicate)
    case expression(NSExpression)
  }

  /// Walks with a list of its own, whatever the depth.
  private static func refusal(of root: Part) -> String? {
    var open: [(part: Part, depth: Int)] = [(root, 0)]
    while let (part, depth) = open.popLast() {
      guard depth < Coding.maximumDepth / 2 else {
        return "it nests deeper than \(Coding.maximumDepth / 2) levels"
      }
      var parts: [Part] = []
      switch part {
      case .predicate(let predicate):
        switch predicate.shape {
        case .constant: break
        case .block: return "it contains a predicate made of Swift code"
        case .custom: return "it contains a predicate of the class \(type(of: predicate))"
        case .compound(_, let predicates): parts = predicates.map(Part.predicate)
        case .comparison(let comparison):
          parts = [
            .expression(comparison.leftExpression), .expression(comparison.rightExpression),
          ]
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
        case .evaluatedObject, .variable, .keyPath, .anyKey: break
        case .block: return "it contains an expression made of Swift code"
        case .custom: return "it contains an expression of the class \(type(of: expression))"
        case .function(_, let operand, let arguments):
          parts = (arguments + (operand.map { [$0] } ?? [])).map(Part.expression)
        case .set(_, let left, let right): parts = [.expression(left), .expression(right)]
        case .aggregate(let elements): parts = elements.map(Part.expression)
        case .subquery(let collection, _, let predicate):
          parts = [.expression(collection), .predicate(predicate)]
        case .conditional(let predicate, let first, let second):
          parts = [.predicate(predicate), .expression(first), .expression(second)]
        }
      }
      open += parts.map { ($0, depth + 1) }
    }
    return nil
  }
}
