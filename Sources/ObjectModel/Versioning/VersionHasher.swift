import Digests
import Foundation

/// Works out version hashes, each entity's once.
///
/// A hash is the SHA-256 of names, flags and numbers put one after the other. The order and the
/// widths are those of Apple's Core Data: stores and compiled models hold its hashes, and a store
/// opens only with a model that has the same.
final class VersionHasher {
  private var entityHashes: [ObjectIdentifier: Data] = [:]
  private var propertyHashes: [ObjectIdentifier: Data] = [:]
  private var openEntities: Set<ObjectIdentifier> = []

  /// The hash of an entity: its name and kind, the hash of the entity above, all stored properties
  /// with inherited ones, and its uniqueness constraints.
  func hash(of entity: NSEntityDescription) -> Data {
    let key = ObjectIdentifier(entity)
    if let hash = entityHashes[key] { return hash }
    var bytes = Data((entity.name ?? "").utf8)
    bytes.append(entity.isAbstract ? 1 : 0)
    openEntities.insert(key)
    // An entity that is its own ancestor, which only code can make, would have no end.
    if let parent = entity.superentity, !openEntities.contains(ObjectIdentifier(parent)) {
      bytes.append(hash(of: parent))
    }
    openEntities.remove(key)
    let stored = entity.properties.filter { property in
      !property.isTransient && !(property is NSFetchedPropertyDescription)
    }
    for property in stored.sorted(by: { $0.name.isBefore($1.name) }) {
      bytes.append(hash(of: property))
    }
    bytes.append(contentsOf: (entity.versionHashModifier ?? "").utf8)
    let constraints = entity.uniquenessConstraintNames.map { $0.joined(separator: ".") }
    for constraint in constraints.sorted(by: { $0.isBefore($1) }) {
      bytes.append(contentsOf: constraint.utf8)
    }
    let hash = Data(SHA2.sha256.digest(of: bytes))
    entityHashes[key] = hash
    return hash
  }

  /// The hash of a property.
  func hash(of property: NSPropertyDescription) -> Data {
    let key = ObjectIdentifier(property)
    if let hash = propertyHashes[key] { return hash }
    let hash = Data(SHA2.sha256.digest(of: serialized(property)))
    propertyHashes[key] = hash
    return hash
  }

  private func serialized(_ property: NSPropertyDescription) -> Data {
    switch property {
    case let derived as NSDerivedAttributeDescription:
      // Of a derived attribute nothing but the expression's text enters, not even the name.
      Data(DerivationExpression(text: derived.derivationText ?? "").formatText.utf8)
    case let attribute as NSAttributeDescription:
      commonHash(property) + serializedType(of: attribute)
    case let relationship as NSRelationshipDescription:
      commonHash(property) + serializedEnds(of: relationship)
    default:
      commonHash(property)
    }
  }

  private func commonHash(_ property: NSPropertyDescription) -> Data {
    var bytes = Data(property.name.utf8)
    bytes.append(property.isOptional ? 1 : 0)
    bytes.append(0)
    bytes.append(contentsOf: (property.versionHashModifier ?? "").utf8)
    return Data(SHA2.sha256.digest(of: bytes))
  }

  private func serializedType(of attribute: NSAttributeDescription) -> Data {
    var bytes = Data(littleEndian: UInt32(attribute.attributeType.rawValue))
    if attribute.allowsExternalBinaryDataStorage { bytes.append(1) }
    if attribute.preservesValueInHistoryOnDeletion { bytes.append(1) }
    if let composite = attribute as? NSCompositeAttributeDescription {
      // No store with a composite attribute was at hand to check this against; the elements must
      // count, or a changed element would go unnoticed.
      for element in composite.elements { bytes.append(hash(of: element)) }
    }
    return bytes
  }

  private func serializedEnds(of relationship: NSRelationshipDescription) -> Data {
    var bytes = Data((relationship.destinationEntity?.name ?? "").utf8)
    if let inverse = relationship.inverseRelationship, inverse !== relationship {
      bytes.append(contentsOf: inverse.name.utf8)
    }
    bytes.append(Data(littleEndian: UInt32(truncatingIfNeeded: relationship.maxCount)))
    bytes.append(Data(littleEndian: UInt32(truncatingIfNeeded: relationship.minCount)))
    if relationship.isOrdered { bytes.append(contentsOf: [1, 0]) }
    return bytes
  }
}

extension Data {
  fileprivate init(littleEndian number: UInt32) {
    self.init([
      UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8),
      UInt8(truncatingIfNeeded: number >> 16), UInt8(truncatingIfNeeded: number >> 24),
    ])
  }
}

extension String {
  /// Whether this text's UTF-8 bytes come before another's: the order in which hashes are put
  /// together.
  func isBefore(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
