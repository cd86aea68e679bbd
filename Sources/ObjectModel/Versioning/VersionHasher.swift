import Digests

/// Computes version hashes. The hash of each entity is computed only once.
///
/// A hash is the SHA-256 of concatenated names, flags and numbers. Their order and widths
/// are those of Apple's Core Data: stores and compiled models contain these hashes, and a store
/// opens only with a model that has the same hashes.
///
/// ``VersionHashes`` caches the hashes of a model's entities.
final class VersionHasher {
  private(set) var entityHashes: [ObjectIdentifier: Data] = [:]
  private var propertyHashes: [ObjectIdentifier: [UInt8]] = [:]
  private var openEntities: Set<ObjectIdentifier> = []

  /// Returns the hash of an entity: of its name, whether it is abstract, the hash of its parent, all stored
  /// properties including inherited ones, its hash modifier, and its uniqueness constraints.
  func hash(of entity: NSEntityDescription) -> Data {
    let key = ObjectIdentifier(entity)
    if let hash = entityHashes[key] { return hash }
    var bytes = Array((entity.name ?? "").utf8)
    bytes.append(entity.isAbstract ? 1 : 0)
    openEntities.insert(key)
    // Ends the recursion for an entity that is its own ancestor, which only code can create.
    if let parent = entity.superentity, !openEntities.contains(ObjectIdentifier(parent)) {
      bytes.append(contentsOf: hash(of: parent))
    }
    openEntities.remove(key)
    let stored = entity.properties.compactMap {
      property -> (name: String, NSPropertyDescription)? in
      // Transient and fetched properties have no column, and Apple's hashes do not include them.
      if property.isTransient || property is NSFetchedPropertyDescription { return nil }
      return (property.name, property)
    }
    // Sorted by name, so that the order of declaration does not matter.
    for (_, property) in stored.sorted(by: { $0.name.isBefore($1.name) }) {
      bytes.append(contentsOf: digest(of: property))
    }
    bytes.append(contentsOf: (entity.versionHashModifier ?? "").utf8)
    let constraints = entity.uniquenessConstraintNames.map { $0.joined(separator: ".") }
    // As in Apple's hashes, nothing separates the constraints.
    for constraint in constraints.sorted(by: { $0.isBefore($1) }) {
      bytes.append(contentsOf: constraint.utf8)
    }
    let hash = Data(bytes.withUnsafeBytes(SHA2.sha256.digest))
    entityHashes[key] = hash
    return hash
  }

  /// Returns the hash of a property.
  func hash(of property: NSPropertyDescription) -> Data { Data(digest(of: property)) }

  private func digest(of property: NSPropertyDescription) -> [UInt8] {
    let key = ObjectIdentifier(property)
    if let digest = propertyHashes[key] { return digest }
    let digest = serialized(property).withUnsafeBytes(SHA2.sha256.digest)
    propertyHashes[key] = digest
    return digest
  }

  private func serialized(_ property: NSPropertyDescription) -> [UInt8] {
    switch property {
    case let derived as NSDerivedAttributeDescription:
      // The hash of a derived attribute includes only the text of its expression, not even its name.
      Array(DerivationExpression(text: derived.derivationText ?? "").formatText.utf8)
    case let attribute as NSAttributeDescription:
      commonHash(property) + serializedType(of: attribute)
    case let relationship as NSRelationshipDescription:
      commonHash(property) + serializedEnds(of: relationship)
    default:
      commonHash(property)
    }
  }

  private func commonHash(_ property: NSPropertyDescription) -> [UInt8] {
    var bytes = Array(property.name.utf8)
    bytes.append(property.isOptional ? 1 : 0)
    // Apple's hashes have a zero byte here.
    bytes.append(0)
    if let modifier = property.versionHashModifier { bytes.append(contentsOf: modifier.utf8) }
    return bytes.withUnsafeBytes(SHA2.sha256.digest)
  }

  private func serializedType(of attribute: NSAttributeDescription) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt32(attribute.attributeType.rawValue))
    bytes.append(contentsOf: repeatElement(1, count: attribute.hashedSettingCount))
    if let composite = attribute as? NSCompositeAttributeDescription {
      // Not verified against Apple's Core Data, because no store with a composite attribute was available. The
      // elements must be included, or a changed element would go unnoticed.
      for element in composite.elements { bytes.append(contentsOf: digest(of: element)) }
    }
    return bytes
  }

  private func serializedEnds(of relationship: NSRelationshipDescription) -> [UInt8] {
    var bytes = Array((relationship.destinationEntity?.name ?? "").utf8)
    // Apple's hashes do not include the inverse of a relationship that is its own inverse.
    if let inverse = relationship.inverseRelationship, inverse !== relationship {
      bytes.append(contentsOf: inverse.name.utf8)
    }
    // Code can set a negative count, for which a checked conversion would stop the program.
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: relationship.maxCount))
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: relationship.minCount))
    // As in Apple's hashes, an ordered relationship adds two bytes and an unordered one adds none.
    if relationship.isOrdered { bytes.append(contentsOf: [1, 0]) }
    return bytes
  }
}

extension NSAttributeDescription {
  /// How many of two settings are on: external storage, and preservation after deletion. As in Apple's hashes, each of
  /// them adds the same byte, so a hash does not distinguish one from the other.
  final var hashedSettingCount: Int {
    (allowsExternalBinaryDataStorage ? 1 : 0) + (preservesValueInHistoryOnDeletion ? 1 : 0)
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian number: UInt32) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension String {
  /// Returns whether this string's UTF-8 bytes precede another's. Hashes are concatenated in this order.
  func isBefore(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
