import Synchronization

/// The version hashes of a model's entities, valid until a description from which they were computed changes.
///
/// Comparing stores with models needs the same hashes repeatedly, even of models that no coordinator uses
/// and that may still change: a program compares a store's metadata with each version of its model. So every
/// description from which the hashes were computed refers to them, and invalidates them before it changes.
final class VersionHashes: Sendable {
  /// The hashes by entity name.
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

  /// Whether the hashes still match the model.
  // The load is relaxed, because the flag protects no other memory: the hashes never change.
  var areValid: Bool { valid.load(ordering: .relaxed) }

  /// Marks the hashes as outdated.
  func invalidate() { valid.store(false, ordering: .relaxed) }

  /// Returns the hash of an entity; nil if it is neither in the model nor an ancestor of an entity in the model.
  func hash(of entity: NSEntityDescription) -> Data? { byEntity[ObjectIdentifier(entity)] }

  /// Makes every description from which the hashes were computed refer to them.
  func watch(_ model: NSManagedObjectModel) {
    // Two models may refer to the same entity, and two threads that only read them may get here concurrently.
    Self.watching.withLock { _ in
      for entity in model.entities { watch(entity) }
    }
  }

  private static let watching = Mutex<Void>(())

  private func watch(_ start: NSEntityDescription) {
    // No recursion, because relationships may lead to any number of entities.
    var next = [start]
    while let entity = next.popLast() {
      // An entity that is in use cannot change.
      guard !entity.isImmutable, entity.dependents !== self else { continue }
      // A description refers to one set of hashes at a time. The previous set would miss later
      // changes, so it is invalidated here.
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
      // The hash includes the destination's name, and renaming the destination must invalidate it.
      if let destination = relationship.destinationEntity { next.append(destination) }
      // The hash includes the inverse's name.
      if let inverse = relationship.inverseRelationship { watch(inverse, &next) }
    default:
      break
    }
  }
}
