import Synchronization

/// The version hashes of a model's entities, for as long as nothing that they were computed from has changed.
///
/// Checks of stores against models ask for the same hashes again and again, also of models that no coordinator uses
/// and which may still change: a program compares a store's metadata with each version of its model. So every
/// description that the hashes were computed from refers to them, and invalidates them before it changes.
final class VersionHashes: Sendable {
  /// The hashes by the entities' names.
  let byName: [String: Data]
  private let byEntity: [ObjectIdentifier: Data]
  private let valid = Atomic<Bool>(true)

  /// Computes the hashes of a model's entities.
  init(of model: NSManagedObjectModel) {
    let hasher = VersionHasher()
    var byName: [String: Data] = [:]
    for entity in model.entities {
      let hash = hasher.hash(of: entity)
      if let name = entity.name { byName[name] = hash }
    }
    self.byName = byName
    byEntity = hasher.entityHashes
  }

  /// Whether the hashes are still those of the model.
  var areValid: Bool { valid.load(ordering: .relaxed) }

  /// Marks the hashes as out of date.
  func invalidate() { valid.store(false, ordering: .relaxed) }

  /// Returns the hash of an entity of the model, or nil for an entity that is none of its own.
  func hash(of entity: NSEntityDescription) -> Data? { byEntity[ObjectIdentifier(entity)] }

  /// Makes every description that the hashes were computed from refer to them.
  func watch(_ model: NSManagedObjectModel) {
    // An entity that two models refer to may be watched for both at once, by two threads that only read.
    Self.watching.withLock { _ in
      for entity in model.entities { watch(entity) }
    }
  }

  private static let watching = Mutex<Void>(())

  private func watch(_ start: NSEntityDescription) {
    // Relationships lead on to any number of entities: no recursion.
    var next = [start]
    while let entity = next.popLast() {
      // One that is in use cannot change.
      guard !entity.isImmutable, entity.dependents !== self else { continue }
      entity.dependents?.invalidate()
      entity.dependents = self
      if let parent = entity.superentity { next.append(parent) }
      for property in entity.ownProperties { watch(property, &next) }
      for case let property as NSPropertyDescription in entity.uniquenessConstraints.joined() {
        watch(property, &next)
      }
    }
  }

  private func watch(_ property: NSPropertyDescription, _ next: inout [NSEntityDescription]) {
    guard !property.isImmutable, property.dependents !== self else { return }
    property.dependents?.invalidate()
    property.dependents = self
    switch property {
    case let composite as NSCompositeAttributeDescription:
      for element in composite.elements { watch(element, &next) }
    case let relationship as NSRelationshipDescription:
      if let destination = relationship.destinationEntity { next.append(destination) }
      if let inverse = relationship.inverseRelationship { watch(inverse, &next) }
    default:
      break
    }
  }
}
