extension NSFetchIndexDescription {
  /// The predicate that selects the indexed objects; nil if all are indexed.
  public final var partialIndexPredicate: NSPredicate? {
    get { partialPredicateFormat.flatMap { try? NSPredicate(validating: $0) } }
    set { partialPredicateFormat = newValue?.formatText }
  }
}
