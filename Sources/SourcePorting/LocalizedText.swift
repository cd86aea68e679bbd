import SwiftParser
import SwiftSyntax

/// A string that `String(localized: "Jobs")` looks up. On other platforms Foundation lacks this initializer, but has
/// `NSLocalizedString`, which looks up the same string on all platforms.
struct LocalizedText {
  static let remark =
    "String(localized:) exists on Apple's platforms only; NSLocalizedString exists everywhere"
  static let advice =
    "String(localized:) exists on Apple's platforms only: look up a string without values with"
    + " NSLocalizedString(_:bundle:comment:), and insert values with String(format:)"

  /// The called type, `String`.
  let initializer: ExprSyntax
  /// The argument with the key.
  let key: LabeledExprSyntax
  /// The label of the argument `table`, which `NSLocalizedString` calls `tableName`; nil if the call has none.
  let table: TokenSyntax?
  /// The `comment` argument to add, and its place; nil if the call has one. The initializer does not require a comment,
  /// but `NSLocalizedString` does.
  let missingComment: (place: AbsolutePosition, text: String)?
  /// Whether the call can be rewritten by changing names and adding a comment.
  let isPlain: Bool

  private static let plainLabels: Set<String?> = ["localized", "table", "bundle", "comment"]

  init?(_ call: FunctionCallExprSyntax) {
    guard let name = call.calledExpression.as(DeclReferenceExprSyntax.self),
      name.baseName.text == "String",
      let key = call.arguments.first, let last = call.arguments.last,
      key.label?.text == "localized"
    else { return nil }
    initializer = call.calledExpression
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
    // The initializer treats a percent sign as text, but in a strings table it may begin a placeholder.
    let text = key.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    isPlain =
      text?.contains("%") == false && call.trailingClosure == nil
      && call.arguments.allSatisfy { Self.plainLabels.contains($0.label?.text) }
  }
}

extension SourcePorter {
  /// Rewrites the lookup so that it works on all platforms.
  func port(_ text: LocalizedText) {
    guard text.isPlain else { return report(text.initializer, LocalizedText.advice) }
    let start = text.initializer.positionAfterSkippingLeadingTrivia
    edits.replace(
      start..<text.initializer.endPositionBeforeTrailingTrivia, with: "NSLocalizedString")
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
