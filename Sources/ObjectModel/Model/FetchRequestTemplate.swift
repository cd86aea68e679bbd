/// A named fetch request in a model.
///
/// The template refers to entities and properties by name. The module CoreData looks them up when it uses the template.
package struct FetchRequestTemplate: Hashable, Sendable {
  /// One sort key of the request.
  package struct SortKey: Hashable, Sendable {
    /// The key path to compare.
    package var keyPath: String
    /// Whether small values come first.
    package var isAscending: Bool
    /// The selector that compares, such as `compare:`; nil for the natural order.
    package var selector: String?

    /// Creates a sort key.
    package init(keyPath: String, isAscending: Bool = true, selector: String? = nil) {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.selector = selector
    }
  }

  /// The result type: the raw value of `NSFetchRequestResultType` (0 objects, 1 object IDs, 2 dictionaries, 4 a count).
  package var resultType: UInt = 0
  /// The template's name.
  package var name: String
  /// The name of the entity to fetch.
  package var entityName: String
  /// The predicate, with its `$variables`.
  package var predicate: TemplatePredicate?
  /// The predicate for groups of dictionary results.
  package var havingPredicate: TemplatePredicate?
  /// The maximum number of results; 0 for no limit.
  package var fetchLimit = 0
  /// The number of results to skip.
  package var fetchOffset = 0
  /// The number of objects to read at a time; 0 for all.
  package var fetchBatchSize = 0
  /// Whether objects of subentities are fetched too.
  package var includesSubentities = true
  /// Whether the rows' values are fetched.
  package var includesPropertyValues = true
  /// Whether the objects are returned as faults.
  package var returnsObjectsAsFaults = true
  /// Whether the context's unsaved changes are included.
  package var includesPendingChanges = true
  /// Whether duplicate results are removed.
  package var returnsDistinctResults = false
  /// Whether registered objects get the fetched values. Model files do not contain this setting.
  package var shouldRefreshRefetchedObjects = false
  /// The sort keys, the most significant first.
  package var sortKeys: [SortKey] = []
  /// The relationships whose objects are prefetched.
  package var prefetchedKeyPaths: [String] = []
  /// The properties of dictionary results; nil for all.
  package var propertiesToFetch: [String]?
  /// The properties by which dictionary results are grouped; nil for no groups.
  package var propertiesToGroupBy: [String]?

  /// Creates a template that fetches all objects of an entity.
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

  /// The text of the predicate for groups.
  package var havingPredicateFormat: String? {
    get { havingPredicate?.text }
    set { havingPredicate = newValue.map(TemplatePredicate.format) }
  }

  /// Sets the result type and the settings that follow from it: object IDs need no property values, and dictionaries
  /// come only from the store.
  package mutating func setResultType(_ type: UInt) {
    resultType = type
    if type == 1 { includesPropertyValues = false }
    if type == 2 { includesPendingChanges = false }
  }

  /// The Boolean settings as a bit mask, as in compiled models.
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
