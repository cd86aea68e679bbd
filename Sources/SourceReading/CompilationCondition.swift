package import SwiftSyntax

/// The result of evaluating an `#if` condition without the compiler.
package enum CompilationCondition {
  case holds, fails, unknown

  /// The platforms for which a condition is evaluated.
  package enum Platforms {
    case apples, others
  }

  private static let applesSystems: Set<String> = [
    "macOS", "OSX", "iOS", "tvOS", "watchOS", "visionOS", "xrOS",
  ]
  #if canImport(ObjectiveC)
    private static let here = Platforms.apples
  #else
    private static let here = Platforms.others
  #endif
  #if os(Linux)
    private static let isLinux = true
  #else
    private static let isLinux = false
  #endif

  /// Evaluates a condition for the platform on which this program runs; ``unknown`` if it depends on build settings.
  package init(_ expression: ExprSyntax) {
    self.init(expression, on: Self.here)
  }

  /// Evaluates a condition for one kind of platform.
  package init(_ expression: ExprSyntax, on platforms: Platforms) {
    if let literal = expression.as(BooleanLiteralExprSyntax.self) {
      self = literal.literal.tokenKind == .keyword(.true) ? .holds : .fails
    } else if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let inner = tuple.elements.first
    {
      self = CompilationCondition(inner.expression, on: platforms)
    } else if let not = expression.as(PrefixOperatorExprSyntax.self), not.operator.text == "!" {
      self = CompilationCondition(not.expression, on: platforms).negated
    } else if let sequence = expression.as(SequenceExprSyntax.self) {
      self = CompilationCondition(sequence, on: platforms)
    } else if let call = expression.as(FunctionCallExprSyntax.self) {
      self = CompilationCondition(call, on: platforms)
    } else {
      self = .unknown
    }
  }

  package var negated: CompilationCondition {
    switch self {
    case .holds: .fails
    case .fails: .holds
    case .unknown: .unknown
    }
  }

  /// Evaluates conditions joined by `&&` and `||`; `&&` binds more tightly.
  private init(_ sequence: SequenceExprSyntax, on platforms: Platforms) {
    var alternatives: [[CompilationCondition]] = [[]]
    for element in sequence.elements {
      guard let sign = element.as(BinaryOperatorExprSyntax.self) else {
        alternatives[alternatives.count - 1].append(CompilationCondition(element, on: platforms))
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

  private static func all(_ conditions: [CompilationCondition]) -> CompilationCondition {
    conditions.contains(.fails)
      ? .fails : conditions.allSatisfy { $0 == .holds } ? .holds : .unknown
  }

  private init(_ call: FunctionCallExprSyntax, on platforms: Platforms) {
    let argument = call.arguments.first?.expression.trimmedDescription ?? ""
    let module = argument.prefix { $0 != "." }
    switch (call.calledExpression.trimmedDescription, platforms) {
    case ("os", .others) where Self.applesSystems.contains(argument): self = .fails
    // The platform of the build is known only if this program runs beyond Apple's platforms.
    case ("os", .others) where argument == "Linux" && Self.here == .others:
      self = Self.isLinux ? .holds : .fails
    case ("os", .apples) where !Self.applesSystems.contains(argument): self = .fails
    case ("canImport", .others) where ApplesModules.names.contains(String(module)): self = .fails
    case ("canImport", .apples) where argument == "ObjectiveC": self = .holds
    // On other platforms, CoreData is this library.
    case ("canImport", _) where ["CoreData", "Foundation", "Swift"].contains(argument):
      self = .holds
    default: self = .unknown
    }
  }
}
