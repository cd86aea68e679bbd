import SwiftSyntax

extension Advice {
  static func ofCall(_ call: FunctionCallExprSyntax) -> String? {
    let labels = call.arguments.map { $0.label?.text }
    switch call.calledName?.trimmedDescription {
    case "observe" where call.arguments.first?.expression.is(KeyPathExprSyntax.self) == true:
      // `migrationProgress` is the only key path that can be observed in this way.
      let isKnown =
        call.arguments.first?.expression.trimmedDescription.hasSuffix(".migrationProgress") == true
      return isKnown ? nil : observing
    case "addObserver" where labels.contains("forKeyPath"),
      "removeObserver" where labels.contains("forKeyPath"):
      return observing
    case "publisher" where labels.first == "for": return combine
    case "addTarget" where labels.contains("action"): return targetAction
    case "url" where labels.first == "forResource", "path" where labels.first == "forResource":
      return call.isOfClassBundle ? ofBundle : nil
    case "Selector", "NSSelectorFromString":
      return ComparisonSelector.isKnown(call) ? nil : ofSelector(in: call)
    default:
      // Reports only a selector in a variable. One that the call's argument creates is reported where it is created.
      guard let argument = call.selectorArgument, !argument.makesSelector else { return nil }
      return ofSelector(to: call)
    }
  }

  private static let ofBundle =
    "other platforms cannot find the bundle of a class: get a package's resources from Bundle.module"

  private static let targetAction =
    "methods cannot be called by selector without Objective-C: use a closure instead of target and action"

  /// Returns advice about a selector that is not for comparison, depending on the function that it is passed to.
  static func ofSelector(in node: some ExprSyntaxProtocol) -> String {
    let argument = node.parent?.as(LabeledExprSyntax.self)
    let call = argument?.parent?.parent?.as(FunctionCallExprSyntax.self)
    return call.flatMap { ofSelector(to: $0) } ?? targetAction
  }

  private static func ofSelector(to call: FunctionCallExprSyntax) -> String? {
    switch call.calledName?.trimmedDescription {
    case "addObserver":
      "methods cannot be called by selector without Objective-C: use addObserver(forName:object:queue:using:), and keep"
        + " the token that it returns"
    case "NSSortDescriptor":
      "stores can sort only by compare:, caseInsensitiveCompare:, localizedCompare:,"
        + " localizedCaseInsensitiveCompare: and localizedStandardCompare:; for another order, sort the fetched objects"
        + " with a comparator of your own"
    case "perform" where call.arguments.contains { $0.label?.text == "afterDelay" }:
      "methods cannot be called by selector without Objective-C: call the method in DispatchQueue.main.asyncAfter(deadline:)"
    case "perform":
      "methods cannot be called by selector without Objective-C: call the method, or store a closure instead of the selector"
    case "responds", "instancesRespond":
      "methods cannot be found by name without Objective-C: check whether the object conforms to a protocol (as? any Saving)"
    case "registerUndo":
      "methods cannot be called by selector without Objective-C: pass a closure to registerUndo(withTarget:) { … }"
    default: nil
    }
  }
}

extension FunctionCallExprSyntax {
  /// Whether it is called on `Bundle(for: …)`.
  fileprivate var isOfClassBundle: Bool {
    guard let member = calledExpression.as(MemberAccessExprSyntax.self),
      let bundle = member.base?.as(FunctionCallExprSyntax.self)
    else { return false }
    return bundle.calledName?.trimmedDescription == "Bundle"
      && bundle.arguments.first?.label?.text == "for"
  }

  /// The selector argument of a call that sends the selector to an object.
  fileprivate var selectorArgument: ExprSyntax? {
    let label: String? =
      switch calledName?.trimmedDescription {
      case "addObserver", "registerUndo": "selector"
      case "responds", "instancesRespond": "to"
      case "perform" where arguments.contains { ["with", "afterDelay"].contains($0.label?.text) }:
        nil
      default: "-"
      }
    return arguments.first { $0.label?.text == label }?.expression
  }
}

extension ExprSyntax {
  fileprivate var makesSelector: Bool {
    if let macro = self.as(MacroExpansionExprSyntax.self) {
      return macro.macroName.text == "selector"
    }
    let name = self.as(FunctionCallExprSyntax.self)?.calledName?.trimmedDescription
    return name == "Selector" || name == "NSSelectorFromString"
  }
}
