import SwiftSyntax

extension Advice {
  static func ofCall(_ call: FunctionCallExprSyntax) -> String? {
    let labels = call.arguments.map { $0.label?.text }
    switch call.calledName?.trimmedDescription {
    case "observe" where call.arguments.first?.expression.is(KeyPathExprSyntax.self) == true:
      // The one value that can be observed like this.
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
      // One that is kept in a variable; what makes one in its place was told there.
      guard let argument = call.selectorArgument, !argument.makesSelector else { return nil }
      return ofSelector(to: call)
    }
  }

  private static let ofBundle =
    "a class has no bundle of its own beyond Apple's platforms: a package's resources are in Bundle.module"

  private static let targetAction =
    "there are no messages by selector: give a closure in the place of target and action"

  /// What to do about a selector that is no comparison's, by who gets it.
  static func ofSelector(in node: some ExprSyntaxProtocol) -> String {
    let argument = node.parent?.as(LabeledExprSyntax.self)
    let call = argument?.parent?.parent?.as(FunctionCallExprSyntax.self)
    return call.flatMap { ofSelector(to: $0) } ?? targetAction
  }

  private static func ofSelector(to call: FunctionCallExprSyntax) -> String? {
    switch call.calledName?.trimmedDescription {
    case "addObserver":
      "there are no messages by selector: observe with"
        + " addObserver(forName:object:queue:using:), and keep what it returns"
    case "NSSortDescriptor":
      "stores sort by compare:, caseInsensitiveCompare:, localizedCompare:,"
        + " localizedCaseInsensitiveCompare: and localizedStandardCompare:; sort what was fetched by a"
        + " comparator of your own"
    case "perform" where call.arguments.contains { $0.label?.text == "afterDelay" }:
      "there are no messages by selector: call the method in DispatchQueue.main.asyncAfter(deadline:)"
    case "perform":
      "there are no messages by selector: call the method, or keep a closure in the selector's place"
    case "responds", "instancesRespond":
      "methods are not found by name: ask whether the object is of a protocol (as? any Saving)"
    case "registerUndo":
      "there are no messages by selector: registerUndo(withTarget:) { … } takes a closure"
    default: nil
    }
  }
}

extension FunctionCallExprSyntax {
  /// Whether it is asked of `Bundle(for: …)`.
  fileprivate var isOfClassBundle: Bool {
    guard let member = calledExpression.as(MemberAccessExprSyntax.self),
      let bundle = member.base?.as(FunctionCallExprSyntax.self)
    else { return false }
    return bundle.calledName?.trimmedDescription == "Bundle"
      && bundle.arguments.first?.label?.text == "for"
  }

  /// The argument that is a selector, of a call that sends it to somebody.
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
