/// Connects entities that were read one by one: finds their parents, destinations and inverses by name.
final class ModelAssembler {
  private struct Connection {
    let relationship: NSRelationshipDescription
    let entity: String
    let destination: String?
    let inverse: String?
    let inverseEntity: String?
  }

  private let url: URL?
  /// Whether the assembler omits and records dangling references and repeated properties instead of throwing an error.
  /// Used for models that a compiler has accepted.
  private let isLenient: Bool
  /// Descriptions of what was omitted.
  private(set) var omissions: [String] = []
  private var entities: [NSEntityDescription] = []
  private var entitiesByName: [String: NSEntityDescription] = [:]
  private var parents: [(child: NSEntityDescription, parent: String)] = []
  private var connections: [Connection] = []
  /// Relationships without a destination. They are removed from their entities.
  private var unresolved: Set<ObjectIdentifier> = []
  /// The names of the entities of the unresolved relationships.
  private var namesOfIncomplete: Set<String> = []

  init(url: URL?, isLenient: Bool = false) {
    self.url = url
    self.isLenient = isLenient
  }

  /// Adds an entity, in the order of the model.
  func add(_ entity: NSEntityDescription, parent: String?) throws {
    let name = entity.name ?? ""
    guard entitiesByName.updateValue(entity, forKey: name) == nil else {
      throw ModelFileError.invalid(url, entity: name, "the entity occurs twice.")
    }
    entities.append(entity)
    if let parent { parents.append((entity, parent)) }
  }

  /// Adds a relationship with the names of its destination and inverse.
  func connect(
    _ relationship: NSRelationshipDescription, of entity: String, destination: String?,
    inverse: String?, inverseEntity: String?
  ) {
    connections.append(
      Connection(
        relationship: relationship, entity: entity, destination: destination, inverse: inverse,
        inverseEntity: inverseEntity))
  }

  /// Returns the connected entities, in the order in which they were added.
  ///
  /// - Parameter repeatsInherited: Whether entities contain copies of inherited properties, which are removed.
  func assemble(repeatsInherited: Bool = false) throws -> [NSEntityDescription] {
    try connectParents()
    if repeatsInherited { dropRepeatedProperties() }
    try checkPropertyNames()
    for connection in connections {
      do { try resolve(connection) } catch {
        guard isLenient else { throw error }
        omissions.append(error.localizedDescription)
        // A relationship without a destination is useless; one without its inverse can still be read.
        guard connection.relationship.destinationEntity == nil else { continue }
        unresolved.insert(ObjectIdentifier(connection.relationship))
        namesOfIncomplete.insert(connection.entity)
      }
    }
    // Assign the properties once per entity, because each assignment updates all properties.
    for name in namesOfIncomplete {
      entitiesByName[name]?.ownProperties.removeAll { unresolved.contains(ObjectIdentifier($0)) }
    }
    return entities
  }

  private func connectParents() throws {
    var children: [String: [NSEntityDescription]] = [:]
    for (child, parent) in parents {
      guard entitiesByName[parent] != nil else {
        if isLenient {
          omissions.append(
            "the parent entity '\(parent)' of '\(child.name ?? "")', which is not in the model")
          continue
        }
        throw ModelFileError.invalid(
          url, entity: child.name, "its parent entity '\(parent)' is not in the model.")
      }
      // Group the children first, because setting the subentities of a parent replaces the previous ones.
      children[parent, default: []].append(child)
    }
    for (parent, children) in children { entitiesByName[parent]?.subentities = children }
    // A lineage that does not begin with a root was cut off: it is circular or too long.
    for entity in entities where entity.lineage.first?.superentity != nil {
      throw ancestryError(of: entity)
    }
  }

  /// Returns the error for an entity without a root within the maximum depth: a cycle, or too many ancestors.
  private func ancestryError(of entity: NSEntityDescription) -> NSError {
    var above: Set<ObjectIdentifier> = []
    var current: NSEntityDescription? = entity
    while let here = current, above.insert(ObjectIdentifier(here)).inserted {
      current = here.superentity
    }
    // The first entity that the walk meets twice is in the cycle; the entity itself may be below the cycle.
    if let current {
      return ModelFileError.invalid(url, entity: current.name, "it is its own ancestor.")
    }
    return ModelFileError.invalid(
      url, entity: entity.name,
      "it has \(above.count - 1) ancestors; the maximum is"
        + " \(NSEntityDescription.deepestHierarchy - 1).")
  }

  private func dropRepeatedProperties() {
    var dropped: Set<ObjectIdentifier> = []
    for entity in entities where entity.superentity != nil {
      let inherited = Set(entity.lineage.dropLast().flatMap(\.ownProperties).map(\.name))
      let copies = entity.ownProperties.filter { inherited.contains($0.name) }
      dropped.formUnion(copies.map(ObjectIdentifier.init))
    }
    // Remove the connections first: after the entities have released the copies, only the connections retain them.
    connections.removeAll { dropped.contains(ObjectIdentifier($0.relationship)) }
    for entity in entities where entity.superentity != nil {
      entity.ownProperties.removeAll { dropped.contains(ObjectIdentifier($0)) }
    }
  }

  private func checkPropertyNames() throws {
    for entity in entities {
      var seen: Set<String> = []
      if isLenient {
        let all = entity.ownProperties
        let unique = all.filter { seen.insert($0.name).inserted }
        guard unique.count < all.count else { continue }
        omissions.append("properties of '\(entity.name ?? "")' that occur twice")
        entity.ownProperties = unique
        continue
      }
      for property in entity.ownProperties where !seen.insert(property.name).inserted {
        throw ModelFileError.invalid(
          url, entity: entity.name, property: property.name, "the property occurs twice.")
      }
    }
  }

  private func resolve(_ connection: Connection) throws {
    let relationship = connection.relationship
    func failure(_ reason: String) -> NSError {
      ModelFileError.invalid(
        url, entity: connection.entity, property: relationship.name, reason)
    }
    guard let destinationName = connection.destination else {
      throw failure("the relationship has no destination entity.")
    }
    guard let destination = entitiesByName[destinationName] else {
      throw failure("its destination entity '\(destinationName)' is not in the model.")
    }
    // Set the destination before searching for the inverse, because a lenient reader keeps a
    // relationship that lacks only its inverse.
    relationship.destinationEntity = destination
    guard let inverseName = connection.inverse else { return }
    let home = connection.inverseEntity ?? destinationName
    guard let inverseEntity = entitiesByName[home] else {
      throw failure("the entity '\(home)' of its inverse '\(inverseName)' is not in the model.")
    }
    guard let inverse = inverseEntity.property(named: inverseName) as? NSRelationshipDescription,
      !unresolved.contains(ObjectIdentifier(inverse))
    else {
      throw failure("its inverse '\(home).\(inverseName)' is not a relationship of the model.")
    }
    relationship.inverseRelationship = inverse
  }

  /// Checks that configurations, fetch requests, constraints, indexes and fetched properties refer to entities and
  /// properties of the model.
  func check(_ model: NSManagedObjectModel) throws {
    for configuration in model.configurationTable {
      for name in configuration.entityNames where entitiesByName[name] == nil {
        throw ModelFileError.invalid(
          url, "configuration '\(configuration.name)' has the unknown entity '\(name)'.")
      }
    }
    for template in model.fetchRequestTemplates.values.sorted(by: { $0.name < $1.name })
    where entitiesByName[template.entityName] == nil {
      throw ModelFileError.invalid(
        url,
        "fetch request '\(template.name)' fetches the unknown entity '\(template.entityName)'.")
    }
    for entity in entities { try check(entity) }
  }

  /// Names in an index that refer to the object itself instead of a property.
  static let objectKeys: Set = ["entity", "self", "SELF", "objectID"]

  private func check(_ entity: NSEntityDescription) throws {
    let properties = entity.propertiesByName
    for name in entity.uniquenessConstraintNames.joined()
    where properties[name] == nil && properties.composite(containing: name) == nil {
      throw ModelFileError.invalid(
        url, entity: entity.name, "a uniqueness constraint contains the unknown property '\(name)'."
      )
    }
    for name in entity.compoundIndexNames.joined()
    where properties[name] == nil && !Self.objectKeys.contains(name) {
      throw ModelFileError.invalid(
        url, entity: entity.name, "a compound index contains the unknown property '\(name)'.")
    }
    for index in entity.indexes {
      for element in index.elements where element.explicitProperty == nil {
        guard let name = element.propertyName, element.expressionText == nil else { continue }
        guard !IndexRules.isElement(name, of: properties) else { continue }
        throw ModelFileError.invalid(
          url, entity: entity.name, "index '\(index.name)' contains the unknown property '\(name)'."
        )
      }
    }
    for case let property as NSFetchedPropertyDescription in entity.ownProperties {
      guard let target = property.fetchTemplate?.entityName else { continue }
      guard entitiesByName[target] == nil else { continue }
      throw ModelFileError.invalid(
        url, entity: entity.name, property: property.name,
        "it fetches the unknown entity '\(target)'.")
    }
  }
}
