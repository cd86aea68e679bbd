import SwiftParser
import SwiftSyntax

/// The string that replaces the selector of a comparison, such as
/// `#selector(NSString.localizedStandardCompare(_:))`.
///
/// On other platforms only selectors of comparisons work: there a selector is the name of a comparison, and no method
/// is called.
struct ComparisonSelector {
  let text: String

  private static let names: Set<String> = [
    "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
    "localizedStandardCompare",
  ]

  init?(_ node: MacroExpansionExprSyntax) {
    guard let argument = node.arguments.first, node.arguments.count == 1, argument.label == nil
    else { return nil }
    let reference =
      argument.expression.as(MemberAccessExprSyntax.self)?.declName
      ?? argument.expression.as(DeclReferenceExprSyntax.self)
    guard let reference, Self.names.contains(reference.baseName.text) else { return nil }
    if let labels = reference.argumentNames?.arguments {
      guard labels.count == 1, labels.first?.name.text == "_" else { return nil }
    }
    text = reference.baseName.text + ":"
  }

  /// Returns whether a call such as `Selector("compare:")` works on other platforms.
  ///
  /// The call works if its argument is the name of a comparison, or if it creates the custom selector of a
  /// predicate. An argument that is not a literal is assumed to be the name of a comparison in a sort
  /// descriptor.
  static func isKnown(_ call: FunctionCallExprSyntax) -> Bool {
    let argument = call.parent?.as(LabeledExprSyntax.self)
    if argument?.label?.text == "customSelector" { return true }
    guard call.arguments.count == 1, var text = call.arguments.first?.expression else {
      return false
    }
    while let tuple = text.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let inner = tuple.elements.first?.expression
    {
      text = inner
    }
    guard let literal = text.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
      let receiver = argument?.parent?.parent?.as(FunctionCallExprSyntax.self)
      return receiver?.calledName?.trimmedDescription == "NSSortDescriptor"
    }
    return literal.hasSuffix(":") && names.contains(String(literal.dropLast()))
  }
}
