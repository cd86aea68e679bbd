/// The texts of a list behind `IN[c]`, as the options of the comparison see them: one is looked up
/// among many without trying each.
package struct FoldedTexts {
  package let options: NSComparisonPredicate.Options
  /// The folded texts in UTF-8, each once.
  package let values: Set<[UInt8]>

  package init(_ texts: [String], options: NSComparisonPredicate.Options) {
    self.options = options
    values = Set(texts.map { StringMatcher.folded($0, options: options) })
  }

  package func contains(_ text: String) -> Bool {
    values.contains(StringMatcher.folded(text, options: options))
  }
}
