/// A fetch request as a model holds it, under a name.
///
/// Everything but a predicate is a name or a text: the module above binds it to entities when it is used.
package struct FetchRequestTemplate: Hashable, Sendable {
  /// One sort key of the request.
  package struct SortKey: Hashable, Sendable {
    /// The key path to compare.
    package var keyPath: String
    /// Whether small values come first.
    package var isAscending: Bool
    /// The selector that compares, such as `compare:`; nil for the natural order.
    package var selector: String?

    /// A sort key.
    package init(keyPath: String, isAscending: Bool = true, selector: String? = nil) {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.selector = selector
    }
  }

  /// The kind of result: the raw value of `NSFetchRequestResultType` (0 objects, 1 identifiers,
  /// 2 dictionaries, 4 a count).
  package var resultType: UInt = 0
  /// The template's name.
  package var name: String
  /// The name of the entity to fetch.
  package var entityName: String
  /// The predicate, with its `$variables`.
  package var predicate: TemplatePredicate?
  /// The predicate on groups, for dictionaries.
  package var havingPredicate: TemplatePredicate?
  /// The most results, 0 for all.
  package var fetchLimit = 0
  /// How many results are passed over first.
  package var fetchOffset = 0
  /// How many objects are read at a time, 0 for all.
  package var fetchBatchSize = 0
  /// Whether objects of sub-entities are fetched too.
  package var includesSubentities = true
  /// Whether the rows' values are read.
  package var includesPropertyValues = true
  /// Whether objects are returned before their values are needed.
  package var returnsObjectsAsFaults = true
  /// Whether unsaved changes of the context count.
  package var includesPendingChanges = true
  /// Whether equal results are returned once.
  package var returnsDistinctResults = false
  /// The sort keys, the most significant first.
  package var sortKeys: [SortKey] = []
  /// Relationships whose objects are read along.
  package var prefetchedKeyPaths: [String] = []
  /// The properties of dictionary results; nil for all.
  package var propertiesToFetch: [String]?
  /// The properties that group dictionary results; nil for none.
  package var propertiesToGroupBy: [String]?

  /// A template that fetches all objects of an entity.
  package init(name: String, entityName: String) {
    self.name = name
    self.entityName = entityName
  }
}

extension FetchRequestTemplate {
  /// The predicate's text, with its `$variables`.
  package var predicateFormat: String? {
    get { predicate?.text }
    set { predicate = newValue.map(TemplatePredicate.format) }
  }

  /// The text of the predicate on groups.
  package var havingPredicateFormat: String? {
    get { havingPredicate?.text }
    set { havingPredicate = newValue.map(TemplatePredicate.format) }
  }

  /// Sets the kind of result and what follows from it: identifiers need no values, and dictionaries
  /// come from the store alone.
  package mutating func setResultType(_ type: UInt) {
    resultType = type
    if type == 1 { includesPropertyValues = false }
    if type == 2 { includesPendingChanges = false }
  }

  /// The flags as compiled models hold them, one bit each.
  package var archivedFlags: Int {
    get {
      (returnsDistinctResults ? 1 : 0) | (includesSubentities ? 2 : 0)
        | (includesPropertyValues ? 4 : 0) | (returnsObjectsAsFaults ? 8 : 0)
        | (includesPendingChanges ? 16 : 0)
    }
    set {
      returnsDistinctResults = newValue & 1 != 0
      includesSubentities = newValue & 2 != 0
      includesPropertyValues = newValue & 4 != 0
      returnsObjectsAsFaults = newValue & 8 != 0
      includesPendingChanges = newValue & 16 != 0
    }
  }
}
