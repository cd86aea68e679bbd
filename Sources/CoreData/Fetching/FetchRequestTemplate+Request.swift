extension FetchRequestTemplate {
  /// A request as a model keeps it: predicates as they are, properties and the entity by name.
  init(_ request: NSFetchRequest<any NSFetchRequestResult>, name: String) {
    self.init(name: name, entityName: request.entityName ?? "")
    resultType = request.resultType.rawValue
    predicate = request.predicate.map(TemplatePredicate.predicate)
    havingPredicate = request.havingPredicate.map(TemplatePredicate.predicate)
    fetchLimit = request.fetchLimit
    fetchOffset = request.fetchOffset
    fetchBatchSize = request.fetchBatchSize
    includesSubentities = request.includesSubentities
    includesPropertyValues = request.includesPropertyValues
    returnsObjectsAsFaults = request.returnsObjectsAsFaults
    includesPendingChanges = request.includesPendingChanges
    returnsDistinctResults = request.returnsDistinctResults
    sortKeys = (request.sortDescriptors ?? []).compactMap { descriptor in
      descriptor.key.map {
        SortKey(
          keyPath: $0, isAscending: descriptor.ascending,
          selector: descriptor.selector.map { "\($0)" })
      }
    }
    prefetchedKeyPaths = request.relationshipKeyPathsForPrefetching ?? []
    propertiesToFetch = request.propertiesToFetch.map(Self.names)
    propertiesToGroupBy = request.propertiesToGroupBy.map(Self.names)
  }

  private static func names(of properties: [Any]) -> [String] {
    properties.compactMap { ($0 as? NSPropertyDescription)?.name ?? $0 as? String }
  }
}

extension NSManagedObjectModel {
  /// Keeps a fetch request in the model under a name, in place of the one before; nil removes that one.
  ///
  /// The model has to be changeable. Until it is in use, ``fetchRequestTemplate(forName:)`` returns this object, and a
  /// later change of it is a change of the model.
  ///
  /// The predicate is kept as it is, with its `$variables`. Writing the model throws for one that the file cannot
  /// hold, such as a block; the copy of the model that a SQLite store keeps of itself lacks such a request.
  ///
  /// Compared to Apple's Core Data: a model that is in use keeps a computed column by its name alone.
  public func setFetchRequestTemplate(
    _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
  ) {
    replaceRequest(named: name, by: fetchRequestTemplate)
  }
}

extension NSFetchRequest: TemplateRequest {
  package func template(named name: String) -> FetchRequestTemplate {
    FetchRequestTemplate(converted(to: resultType), name: name)
  }
}

extension NSFetchedPropertyDescription {
  /// The fetch that gives the property its value.
  ///
  /// Its predicate may use `$FETCH_SOURCE`, the object whose property it is, and
  /// `$FETCHED_PROPERTY`. Nil where none was set, or the predicate cannot be read.
  ///
  /// It is the same object at each reading, and may be changed, until the model is in use; from then on each reading
  /// makes a new one. The model keeps it as ``NSManagedObjectModel/setFetchRequestTemplate(_:forName:)`` does.
  public var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    get {
      if let held = heldRequest as? NSFetchRequest<any NSFetchRequestResult> { return held }
      let request = fetchTemplate.flatMap { try? FetchTemplates.request($0, in: owner?.model) }
      if let request, !isImmutable { hold(request) }
      return request
    }
    set {
      fetchTemplate = nil
      if let newValue { hold(newValue) }
    }
  }
}
