/// The strings of an `IN[c]` list, folded with the options of the comparison, or with `[l]` their sort keys, so that a
/// lookup need not compare all of them.
package struct FoldedTexts {
  package let options: NSComparisonPredicate.Options
  /// The folded strings in UTF-8, or the sort keys.
  package let values: Set<[UInt8]>

  package init(_ texts: [String], options: NSComparisonPredicate.Options) {
    self.options = options
    values = Set(texts.map { StringMatcher.folded($0, options: options) })
  }

  package func contains(_ text: String) -> Bool {
    values.contains(StringMatcher.folded(text, options: options))
  }
}
