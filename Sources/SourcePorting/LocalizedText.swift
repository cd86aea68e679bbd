import SwiftParser
import SwiftSyntax

/// A text that `String(localized: "Jobs")` looks up. Beyond Apple's platforms Foundation has no such initialiser, but
/// `NSLocalizedString`, which looks up the same on all of them.
struct LocalizedText {
  static let remark =
    "String(localized:) is there on Apple's platforms only, NSLocalizedString everywhere"
  static let advice =
    "there is no String(localized:) beyond Apple's platforms: look up a text without values by"
    + " NSLocalizedString(_:bundle:comment:), and put values into it by String(format:)"

  /// What is called, `String`.
  let initialiser: ExprSyntax
  /// The argument that is looked up.
  let key: LabeledExprSyntax
  /// What names the table; it has another label.
  let table: TokenSyntax?
  /// Where the comment is to be added, which is optional to the initialiser only, and what with; nil if there is one.
  let missingComment: (place: AbsolutePosition, text: String)?
  /// Whether nothing but names differs.
  let isPlain: Bool

  private static let plainLabels: Set<String?> = ["localized", "table", "bundle", "comment"]

  init?(_ call: FunctionCallExprSyntax) {
    guard let name = call.calledExpression.as(DeclReferenceExprSyntax.self),
      name.baseName.text == "String",
      let key = call.arguments.first, let last = call.arguments.last,
      key.label?.text == "localized"
    else { return nil }
    initialiser = call.calledExpression
    self.key = key
    table = call.arguments.first { $0.label?.text == "table" }?.label
    let hasComment = call.arguments.contains { $0.label?.text == "comment" }
    missingComment =
      hasComment
      ? nil
      : (
        last.endPositionBeforeTrailingTrivia,
        last.trailingComma == nil ? ", comment: \"\"" : " comment: \"\""
      )
    // A percent sign is one of the text to the initialiser, and may begin a value's place in a table.
    let text = key.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    isPlain =
      text?.contains("%") == false && call.trailingClosure == nil
      && call.arguments.allSatisfy { Self.plainLabels.contains($0.label?.text) }
  }
}

extension SourcePorter {
  /// Has a text looked up in a way that is there everywhere.
  func port(_ text: LocalizedText) {
    guard text.isPlain else { return report(text.initialiser, LocalizedText.advice) }
    let start = text.initialiser.positionAfterSkippingLeadingTrivia
    edits.replace(
      start..<text.initialiser.endPositionBeforeTrailingTrivia, with: "NSLocalizedString")
    let label = text.key.positionAfterSkippingLeadingTrivia
    edits.replace(label..<text.key.expression.positionAfterSkippingLeadingTrivia, with: "")
    if let table = text.table {
      edits.replace(
        table.positionAfterSkippingLeadingTrivia..<table.endPositionBeforeTrailingTrivia,
        with: "tableName")
    }
    if let comment = text.missingComment { edits.insert(comment.text, after: comment.place) }
    noteChange(at: start, LocalizedText.remark)
  }
}
