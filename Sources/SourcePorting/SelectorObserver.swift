import SwiftSyntax

/// `center.addObserver(self, selector: #selector(saved(_:)), name: …, object: …)`: a call that registers a method
/// for notifications. Outside Apple's platforms, the library's `addObserver(_:calling:name:object:)` does the same.
struct SelectorObserver {
  static let function = "addObserver(_:calling:name:object:)"
  static let remark =
    "methods cannot be called by selector without Objective-C: \(function) of CoreData calls the method instead"

  let call: FunctionCallExprSyntax
  /// The argument that refers to the method.
  let selector: LabeledExprSyntax
  /// The replacement for the selector.
  let calling: String

  /// Returns nil for a call of another form, and if a closure cannot call the method: because the source does not
  /// declare it, or because it returns a value, throws, is asynchronous, or has parameters other than one notification.
  init?(_ call: FunctionCallExprSyntax) {
    let arguments = Array(call.arguments)
    guard call.calledName?.trimmedDescription == "addObserver",
      call.calledExpression.is(MemberAccessExprSyntax.self), call.trailingClosure == nil,
      arguments.map({ $0.label?.text }) == [nil, "selector", "name", "object"],
      arguments[0].expression.trimmedDescription == "self",
      let macro = arguments[1].expression.as(MacroExpansionExprSyntax.self),
      macro.macroName.text == "selector", macro.arguments.count == 1,
      let named = macro.arguments.first, named.label == nil,
      let method = named.expression.methodReference
    else { return nil }
    let declarations = MethodFinder.methods(
      method.baseName.text, method.argumentNames?.arguments.map(\.name.text), in: call.root)
    let calls = Set(declarations.map(Self.calling))
    // Several methods with the name are not a problem if all of them are called in the same way.
    guard calls.count == 1, let calling = calls.first ?? nil else { return nil }
    self.call = call
    selector = arguments[1]
    self.calling = calling
  }

  /// Returns the closure that calls a method.
  private static func calling(_ method: FunctionDeclSyntax) -> String? {
    let signature = method.signature
    // The closure returns nothing, and can neither throw nor be asynchronous.
    guard signature.returnClause == nil, signature.effectSpecifiers == nil else { return nil }
    guard let parameter = signature.parameterClause.parameters.first else {
      return "{ observer, _ in observer.\(method.name.text)() }"
    }
    guard signature.parameterClause.parameters.count == 1 else { return nil }
    var type = parameter.type
    if let optional = type.as(OptionalTypeSyntax.self) { type = optional.wrappedType }
    if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      type = optional.wrappedType
    }
    let argument: String? =
      switch type.lastName {
      case "Notification": "$1"
      case "NSNotification": "$1 as NSNotification"
      default: nil
      }
    let label = parameter.firstName.text == "_" ? "" : "\(parameter.firstName.text): "
    return argument.map { "{ $0.\(method.name.text)(\(label)\($0)) }" }
  }

  /// Finds instance methods by name.
  private final class MethodFinder: SyntaxVisitor {
    private let name: String
    private let labels: [String]?
    private var found: [FunctionDeclSyntax] = []

    private init(_ name: String, _ labels: [String]?) {
      self.name = name
      self.labels = labels
      super.init(viewMode: .sourceAccurate)
    }

    /// - Parameter labels: Nil for any labels.
    static func methods(
      _ name: String, _ labels: [String]?, in root: Syntax
    ) -> [FunctionDeclSyntax] {
      let finder = MethodFinder(name, labels)
      finder.walk(root)
      return finder.found
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
      let parameters = node.signature.parameterClause.parameters.map(\.firstName.text)
      let isOfType = node.modifiers.contains { ["static", "class"].contains($0.name.text) }
      if node.name.text == name, !isOfType, labels == nil || labels == parameters {
        found.append(node)
      }
      return .visitChildren
    }
  }
}

extension SourcePorter {
  /// Rewrites the observer for platforms without selectors.
  func port(_ observer: SelectorObserver) {
    noteChange(
      at: observer.selector.positionAfterSkippingLeadingTrivia, SelectorObserver.remark)
    noteName(ofLibrary: SelectorObserver.function)
    if !isApplesToo {
      let argument = observer.selector
      let end = argument.expression.endPositionBeforeTrailingTrivia
      edits.replace(
        argument.positionAfterSkippingLeadingTrivia..<end, with: "calling: \(observer.calling)")
    }
    // Visit all parts except the selector, which would be reported as an obstacle.
    walk(observer.call.calledExpression)
    for argument in observer.call.arguments where argument.label?.text != "selector" {
      walk(argument)
    }
  }
}

extension ExprSyntax {
  /// The method to which `saved(_:)`, `self.saved` or `List.saved(_:)` refers.
  fileprivate var methodReference: DeclReferenceExprSyntax? {
    if let name = self.as(DeclReferenceExprSyntax.self) { return name }
    guard let member = self.as(MemberAccessExprSyntax.self),
      member.base?.is(DeclReferenceExprSyntax.self) == true
    else { return nil }
    return member.declName
  }
}
