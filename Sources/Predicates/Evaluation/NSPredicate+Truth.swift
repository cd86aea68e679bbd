extension NSPredicate {
  /// Whether the predicate holds for an object; nil for unknown, which only the store's rule for
  /// nil knows.
  package func truth(
    with object: Any?, variables: [String: Any]? = nil, nilRule: NilRule
  ) throws -> Bool? {
    try checkNesting()
    return try truth(for: object, in: Evaluation(variables: variables, nilRule: nilRule))
  }
}
