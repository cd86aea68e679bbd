import CoreData

/// The key paths from an object of an entity.
struct EntityPaths {
  struct Path {
    let keys: String
    let kind: FormatTree.Kind
    let isOrdered: Bool
  }

  /// Paths to an attribute over at most two to-one relationships, by the kind of the attribute.
  private(set) var values: [FormatTree.Kind: [Path]] = [:]
  /// Paths to one related object, over to-one relationships.
  private(set) var objects: [Path] = []
  /// Paths that end in a to-many relationship.
  private(set) var members: [Path] = []

  init(_ entity: NSEntityDescription) { add(entity, prefix: "", depth: 0) }

  private mutating func add(_ entity: NSEntityDescription, prefix: String, depth: Int) {
    for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key }) {
      // Comparisons of externally stored data are refused.
      guard !attribute.isTransient, !attribute.allowsExternalBinaryDataStorage,
        let kind = SampleValues.kind(of: attribute.attributeType)
      else {
        continue
      }
      values[kind, default: []].append(Path(keys: prefix + name, kind: kind, isOrdered: false))
    }
    for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
      guard let destination = relationship.destinationEntity, !relationship.isTransient else {
        continue
      }
      let target = destination.name ?? ""
      if relationship.isToMany {
        members.append(
          Path(keys: prefix + name, kind: .members(target), isOrdered: relationship.isOrdered))
      } else {
        objects.append(Path(keys: prefix + name, kind: .object(target), isOrdered: false))
        if depth < 2 { add(destination, prefix: "\(prefix)\(name).", depth: depth + 1) }
      }
    }
  }
}

/// The entities of a model and their cached paths.
final class ModelPaths {
  let entities: [String: NSEntityDescription]
  private var known: [String: EntityPaths] = [:]

  init(_ model: NSManagedObjectModel) { entities = model.entitiesByName }

  func paths(of entity: String) -> EntityPaths? {
    if let paths = known[entity] { return paths }
    guard let description = entities[entity] else { return nil }
    let paths = EntityPaths(description)
    known[entity] = paths
    return paths
  }

  /// Returns whether an object of one entity can be an object of the other.
  func related(_ one: String, _ other: String) -> Bool {
    guard let a = entities[one], let b = entities[other] else { return false }
    return a.isKindOf(entity: b) || b.isKindOf(entity: a)
  }
}
