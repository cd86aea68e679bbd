package import SwiftSyntax

/// What can be told of a condition of `#if` without the compiler.
package enum Condition {
  case holds, fails, unknown

  private static let applesSystems: Set<String> = [
    "macOS", "OSX", "iOS", "tvOS", "watchOS", "visionOS", "xrOS",
  ]
  #if canImport(ObjectiveC)
    private static let isApples = true
  #else
    private static let isApples = false
  #endif
  #if os(Linux)
    private static let isLinux = true
  #else
    private static let isLinux = false
  #endif

  /// What is known of a condition; ``unknown`` for one that depends on settings of the build.
  package init(_ expression: ExprSyntax) {
    if let literal = expression.as(BooleanLiteralExprSyntax.self) {
      self = literal.literal.tokenKind == .keyword(.true) ? .holds : .fails
    } else if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let inner = tuple.elements.first
    {
      self = Condition(inner.expression)
    } else if let not = expression.as(PrefixOperatorExprSyntax.self), not.operator.text == "!" {
      self = Condition(not.expression).negated
    } else if let sequence = expression.as(SequenceExprSyntax.self) {
      self = Condition(sequence)
    } else if let call = expression.as(FunctionCallExprSyntax.self) {
      self = Condition(call)
    } else {
      self = .unknown
    }
  }

  package var negated: Condition {
    switch self {
    case .holds: .fails
    case .fails: .holds
    case .unknown: .unknown
    }
  }

  /// Several conditions with `&&` and `||` between them, of which the former bind more tightly.
  private init(_ sequence: SequenceExprSyntax) {
    var alternatives: [[Condition]] = [[]]
    for element in sequence.elements {
      guard let sign = element.as(BinaryOperatorExprSyntax.self) else {
        alternatives[alternatives.count - 1].append(Condition(element))
        continue
      }
      switch sign.operator.text {
      case "&&": break
      case "||": alternatives.append([])
      default:
        self = .unknown
        return
      }
    }
    let results = alternatives.map(Self.all)
    self =
      results.contains(.holds) ? .holds : results.allSatisfy { $0 == .fails } ? .fails : .unknown
  }

  private static func all(_ conditions: [Condition]) -> Condition {
    conditions.contains(.fails)
      ? .fails : conditions.allSatisfy { $0 == .holds } ? .holds : .unknown
  }

  private init(_ call: FunctionCallExprSyntax) {
    let argument = call.arguments.first?.expression.trimmedDescription ?? ""
    switch call.calledExpression.trimmedDescription {
    case "os" where !Self.isApples && Self.applesSystems.contains(argument): self = .fails
    case "os" where argument == "Linux": self = Self.isLinux ? .holds : .fails
    case "canImport" where !Self.isApples && ApplesModules.names.contains(argument):
      self = .fails
    case "canImport" where ["CoreData", "Foundation", "Swift"].contains(argument): self = .holds
    default: self = .unknown
    }
  }
}
