import SwiftSyntax

/// The selector that `#selector(NSString.localizedStandardCompare(_:))` stands for. Only those of comparisons
/// are known beyond Apple's platforms: what they compare is asked of no object.
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
}
