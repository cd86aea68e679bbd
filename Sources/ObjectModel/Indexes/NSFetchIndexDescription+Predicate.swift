extension NSFetchIndexDescription {
  /// The predicate that selects the indexed objects; nil if all are indexed, or if the text in a model file is not a
  /// valid predicate.
  ///
  /// ```swift
  /// let large = NSFetchIndexDescription(name: "largeJobs", elements: [])
  /// large.partialIndexPredicate = NSPredicate(format: "amount > 10000")
  /// ```
  public final var partialIndexPredicate: NSPredicate? {
    get { partialPredicateFormat.flatMap { try? NSPredicate(validating: $0) } }
    set { partialPredicateFormat = newValue?.formatText }
  }
}
