/// Creates requests from the templates in a model's files.
enum FetchTemplates {
  static func request(
    _ template: FetchRequestTemplate, in model: NSManagedObjectModel?
  ) throws -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: template.entityName)
    // If the request had its entity already, these setters would replace names with property descriptions.
    request.propertiesToFetch = template.propertiesToFetch
    request.propertiesToGroupBy = template.propertiesToGroupBy
    if let model { resolveEntity(of: request, in: model) }
    request.predicate = try template.predicate?.makePredicate()
    request.havingPredicate = try template.havingPredicate?.makePredicate()
    request.fetchLimit = template.fetchLimit
    request.fetchOffset = template.fetchOffset
    request.fetchBatchSize = template.fetchBatchSize
    request.resultType = NSFetchRequestResultType(rawValue: template.resultType)
    request.includesSubentities = template.includesSubentities
    request.includesPropertyValues = template.includesPropertyValues
    request.returnsObjectsAsFaults = template.returnsObjectsAsFaults
    request.includesPendingChanges = template.includesPendingChanges
    request.returnsDistinctResults = template.returnsDistinctResults
    request.shouldRefreshRefetchedObjects = template.shouldRefreshRefetchedObjects
    if !template.sortKeys.isEmpty {
      request.sortDescriptors = template.sortKeys.map { key in
        NSSortDescriptor(
          key: key.keyPath, ascending: key.isAscending, selector: key.selector.map { Selector($0) })
      }
    }
    if !template.prefetchedKeyPaths.isEmpty {
      request.relationshipKeyPathsForPrefetching = template.prefetchedKeyPaths
    }
    return request
  }

  /// Sets the entity of a request that has only an entity name, if the model contains the entity.
  static func resolveEntity(
    of request: NSFetchRequest<any NSFetchRequestResult>, in model: NSManagedObjectModel
  ) {
    guard request.entity == nil, let name = request.entityName,
      let entity = model.entities.first(where: { $0.name == name })
    else { return }
    request.resolveEntity(entity)
  }

  /// Returns the request of a fetched property for an object; nil if the property has no request. In the predicate, the
  /// object replaces `$FETCH_SOURCE`, and the property replaces `$FETCHED_PROPERTY`.
  static func request(
    of property: NSFetchedPropertyDescription, source: NSManagedObject
  ) throws -> NSFetchRequest<any NSFetchRequestResult>? {
    guard let template = property.fetchTemplate else { return nil }
    let request = try request(template, in: source.layout.entity.managedObjectModel)
    request.predicate = try request.predicate?.substituting([
      "FETCH_SOURCE": source, "FETCHED_PROPERTY": property,
    ])
    return request
  }
}

extension NSManagedObjectModel {
  /// The fetch requests of the model by name, as ``fetchRequestTemplate(forName:)`` returns them.
  ///
  /// A request whose predicate cannot be parsed is left out; ``fetchRequest(fromTemplate:variables:)`` throws the
  /// reason.
  ///
  /// ```swift
  /// print(model.fetchRequestTemplatesByName.keys.sorted())  // ["customersInState", "peopleOfAge"]
  /// ```
  public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
    let names = fetchRequestTemplates.keys
    return Dictionary(
      names.compactMap { name in fetchRequestTemplate(forName: name).map { (name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the fetch request with a name, without substituting variables; nil if there is none or its predicate
  /// cannot be parsed.
  ///
  /// Until the model is in use, each call returns the same object, and changing it changes the model. From then on each
  /// call returns a new request that belongs to the caller.
  ///
  /// Compared to Apple's Core Data: changing a request of a model in use has no effect instead of raising an exception.
  ///
  /// ```swift
  /// let template = model.fetchRequestTemplate(forName: "peopleOfAge")
  /// if let predicate = template?.predicate { print(predicate) }  // age >= $AGE
  /// ```
  public func fetchRequestTemplate(
    forName name: String
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    if let held = heldRequest(named: name) as? NSFetchRequest<any NSFetchRequestResult> {
      FetchTemplates.resolveEntity(of: held, in: self)
      return held
    }
    guard let template = template(named: name),
      let request = try? FetchTemplates.request(template, in: self)
    else { return nil }
    if !isImmutable { hold(request, named: name) }
    return request
  }

  /// Returns a new fetch request from a named template, substituting all variables of its predicate; nil if there is no
  /// such template.
  ///
  /// Stops the program if a variable has no value or the predicate cannot be parsed;
  /// `fetchRequest(fromTemplate:variables:)` throws an error instead.
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    guard template(named: name) != nil else { return nil }
    do {
      return try fetchRequest(fromTemplate: name, variables: variables)
    } catch {
      stopProgram(error.localizedDescription)
    }
  }

  /// Returns a new fetch request from a named template, substituting all variables of its predicate.
  ///
  /// - Throws: `NSCoreDataError` if there is no such template; `InvalidPredicateError` if its predicate cannot be
  ///   parsed or a variable has no value.
  public func fetchRequest(
    fromTemplate name: String, variables: [String: Any]
  ) throws -> NSFetchRequest<any NSFetchRequestResult> {
    guard let template = template(named: name) else {
      let nearest = NearestName.nearest(to: name, among: Array(fetchRequestTemplates.keys))
      throw CoreDataError.badRequest(
        "the model has no fetch request named \"\(name)\""
          + (nearest.map { " (did you mean \"\($0)\"?)" } ?? ""))
    }
    let request = try FetchTemplates.request(template, in: self)
    request.predicate = try request.predicate?.substituting(variables)
    return request
  }
}

extension NSEntityDescription {
  /// Inserts a new object of an entity into a context and returns it.
  ///
  /// Stops the program if the context has no coordinator, or if its model has no such entity.
  @discardableResult
  public class func insertNewObject(
    forEntityName entityName: String, into context: NSManagedObjectContext
  ) -> NSManagedObject {
    guard let layout = context.layouts?.layout(named: entityName) else {
      stopProgram(
        context.layouts?.error?.localizedDescription
          ?? "+entityForName: could not locate an entity named '\(entityName)' in this model.")
    }
    return layout.managedObjectClass.init(entity: layout.entity, insertInto: context)
  }

  /// Returns the entity with a name in a context's model; nil if there is none.
  public class func entity(
    forEntityName entityName: String, in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    context.layouts?.layout(named: entityName)?.entity
  }
}
