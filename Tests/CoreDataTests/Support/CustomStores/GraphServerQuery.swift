import CoreData

/// Evaluates a fetch request of `GraphServerStore` in memory.
struct GraphServerQuery {
  private let request: NSFetchRequest<any NSFetchRequestResult>
  private let entity: NSEntityDescription
  let entityNames: Set<String>

  init(_ request: NSFetchRequest<any NSFetchRequestResult>, entity: NSEntityDescription) {
    (self.request, self.entity) = (request, entity)
    func names(_ entity: NSEntityDescription) -> Set<String> {
      entity.subentities.reduce([entity.name ?? ""]) { $0.union(names($1)) }
    }
    entityNames = request.includesSubentities ? names(entity) : [entity.name ?? ""]
  }

  func results(
    among objects: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    var found = objects
    if let predicate = request.predicate {
      found = try CompiledPredicate(predicate, for: entity).filter(found)
    }
    if let descriptors = request.sortDescriptors, !descriptors.isEmpty {
      found = (found as NSArray).sortedArray(using: descriptors).compactMap {
        $0 as? NSManagedObject
      }
    }
    if request.fetchOffset > 0 { found = Array(found.dropFirst(request.fetchOffset)) }
    if request.fetchLimit > 0 { found = Array(found.prefix(request.fetchLimit)) }
    return found
  }

  /// The requested attributes.
  func dictionary(_ object: NSManagedObject) throws -> [String: Any] {
    if request.propertiesToFetch?.contains(where: { $0 is NSExpressionDescription }) == true {
      throw CocoaError(.featureUnsupported)
    }
    let requested = request.propertiesToFetch?.map { property in
      (property as? NSPropertyDescription)?.name ?? "\(property)"
    }
    var values: [String: Any] = [:]
    for name in requested ?? Array(object.entity.attributesByName.keys) {
      values[name] = object.value(forKeyPath: name)
    }
    return values
  }
}
