/// Makes requests from what a model's files say.
enum FetchTemplates {
  static func request(
    _ template: FetchRequestTemplate, in model: NSManagedObjectModel?
  ) throws -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: template.entityName)
    // Set first, so that names read back as names.
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

  /// Gives a request that has only the name of its entity the entity, where the model has it.
  static func resolveEntity(
    of request: NSFetchRequest<any NSFetchRequestResult>, in model: NSManagedObjectModel
  ) {
    guard request.entity == nil, let name = request.entityName,
      let entity = model.entities.first(where: { $0.name == name })
    else { return }
    request.resolveEntity(entity)
  }

  /// The request of a fetched property: `$FETCH_SOURCE` is the object, `$FETCHED_PROPERTY` the
  /// property.
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
  /// The fetch requests that the model holds, by name, each as ``fetchRequestTemplate(forName:)`` returns it.
  ///
  /// A request whose predicate cannot be parsed is left out; ``fetchRequest(fromTemplate:variables:)`` throws
  /// the reason.
  public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
    let names = fetchRequestTemplates.keys
    return Dictionary(
      names.compactMap { name in fetchRequestTemplate(forName: name).map { (name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The fetch request of a name, its variables still in it; nil when there is none, or its predicate cannot be
  /// parsed.
  ///
  /// It is the same object at each reading, and a change of it is a change of the model, until the model is in use.
  /// From then on each reading makes a new request, which belongs to the caller.
  ///
  /// Compared to Apple's Core Data: a change of the request of a model that is in use raises an exception there. Here
  /// it has no effect on the model.
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

  /// A new fetch request as the one of a name, with a value for every variable; nil when there is none.
  ///
  /// A missing variable stops the program; `fetchRequest(fromTemplate:variables:)` throws.
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

  /// A new fetch request as the one of a name, with a value for every variable.
  ///
  /// - Throws: when there is no such request, its predicate cannot be parsed, or a variable has no
  ///   value.
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
  /// Makes a new object of an entity in a context.
  ///
  /// An entity that the context's model does not have stops the program.
  @discardableResult
  public class func insertNewObject(
    forEntityName entityName: String, into context: NSManagedObjectContext
  ) -> NSManagedObject {
    guard let layout = context.layouts?.layout(named: entityName) else {
      stopProgram(
        context.layouts?.fault?.localizedDescription
          ?? "+entityForName: could not locate an entity named '\(entityName)' in this model.")
    }
    return layout.managedObjectClass.init(entity: layout.entity, insertInto: context)
  }

  /// The entity of a name in a context's model.
  public class func entity(
    forEntityName entityName: String, in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    context.layouts?.layout(named: entityName)?.entity
  }
}
