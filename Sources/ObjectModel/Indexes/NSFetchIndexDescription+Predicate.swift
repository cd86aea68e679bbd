extension NSFetchIndexDescription {
  /// The predicate that the indexed objects meet; nil when all are indexed.
  public final var partialIndexPredicate: NSPredicate? {
    get { partialPredicateFormat.flatMap { try? NSPredicate(validating: $0) } }
    set { partialPredicateFormat = newValue?.formatText }
  }
}
