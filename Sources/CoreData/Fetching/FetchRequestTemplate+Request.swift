extension FetchRequestTemplate {
  /// Creates a template with the settings of a request, except its stores. Names represent its entity and properties.
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
    shouldRefreshRefetchedObjects = request.shouldRefreshRefetchedObjects
    sortKeys = (request.sortDescriptors ?? []).map { descriptor in
      // A fetch fails if a sort descriptor has a comparator or no key. This selector makes a fetch with a request from
      // the template fail, too.
      let selector = descriptor.key == nil ? nil : descriptor.selector?.description
      return SortKey(
        keyPath: descriptor.key ?? "self", isAscending: descriptor.ascending,
        selector: selector ?? "comparator")
    }
    prefetchedKeyPaths = request.relationshipKeyPathsForPrefetching ?? []
    propertiesToFetch = request.propertiesToFetch.map(Self.names)
    propertiesToGroupBy = request.propertiesToGroupBy.map(Self.names)
  }

  private static func names(of properties: [Any]) -> [String] {
    // A model stores properties by name, even computed columns.
    properties.compactMap { ($0 as? NSPropertyDescription)?.name ?? $0 as? String }
  }
}

extension NSManagedObjectModel {
  /// Sets or replaces the fetch request with a name in the model; nil removes it.
  ///
  /// The model must be mutable. Until the model is in use, ``fetchRequestTemplate(forName:)`` returns this object, and
  /// later changes to the object change the model.
  ///
  /// The predicate is stored unchanged, including its `$variables`. If it cannot be stored in a file (such as a block),
  /// writing the model throws an error; the copy of the model in a SQLite store omits the request.
  ///
  /// Compared to Apple's Core Data: a model that is in use stores a computed column only by its name.
  ///
  /// ```swift
  /// let copy = NSManagedObjectModel(byMerging: [model])
  /// let adults = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
  /// adults.predicate = NSPredicate(format: "age >= 18")
  /// copy?.setFetchRequestTemplate(adults, forName: "adults")
  /// ```
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
  /// The fetch request that provides the property's value.
  ///
  /// Its predicate may use the variables `$FETCH_SOURCE`, the object that has the property, and `$FETCHED_PROPERTY`.
  /// The request is nil if none was set or if its predicate cannot be read.
  ///
  /// Until the model is in use, each access returns the same object, and the program may change it. From then on each
  /// access creates a new object. The model stores the request like one that was set with
  /// ``NSManagedObjectModel/setFetchRequestTemplate(_:forName:)``.
  ///
  /// ```swift
  /// let teammates = NSFetchedPropertyDescription()
  /// teammates.name = "teammates"
  /// let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
  /// request.predicate = NSPredicate(format: "team == $FETCH_SOURCE.team")
  /// teammates.fetchRequest = request
  /// ```
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
