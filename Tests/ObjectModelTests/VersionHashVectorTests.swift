import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite(
  "Version hash vectors",
  .enabled(if: Fixtures.include("version-hashes/vectors.json.gz"), "no public fixture"))
struct VersionHashVectorTests {
  private struct Vector: Decodable {
    let entity: Entity
    let versionHash: String
  }

  private final class Entity: Decodable {
    let name: String
    let isAbstract: Bool
    let superentity: Entity?
    let versionHashModifier: String?
    let uniquenessConstraints: [[String]]
    let properties: [Property]
  }

  private struct Property: Decodable {
    let kind: String
    let name: String
    let optional: Bool
    let transient: Bool
    let type: UInt?
    let flags: Int?
    let expression: String?
    let versionHashModifier: String?
    let destination: String?
    let inverse: String?
    let minCount: Int?
    let maxCount: Int?
    let ordered: Bool?
  }

  /// Makes the entities of one vector. Relationships refer to entities that have only a name.
  private final class Maker {
    var entities: [NSEntityDescription] = []
    var inverses: [NSRelationshipDescription] = []

    func make(_ source: Entity) -> NSEntityDescription {
      let entity = NSEntityDescription()
      entities.append(entity)
      entity.name = source.name
      entity.isAbstract = source.isAbstract
      entity.versionHashModifier = source.versionHashModifier
      entity.uniquenessConstraints = source.uniquenessConstraints
      if let parent = source.superentity { make(parent).subentities = [entity] }
      entity.ownProperties = source.properties.map { make($0, in: entity) }
      return entity
    }

    private func make(_ source: Property, in entity: NSEntityDescription) -> NSPropertyDescription {
      let property: NSPropertyDescription
      switch source.kind {
      case "attribute":
        property = attribute(NSAttributeDescription(), source)
      case "derived":
        let derived = NSDerivedAttributeDescription()
        derived.derivationText = source.expression
        property = attribute(derived, source)
      case "relationship":
        property = relationship(source, in: entity)
      default:
        property = NSFetchedPropertyDescription()
      }
      property.name = source.name
      property.isOptional = source.optional
      property.isTransient = source.transient
      property.versionHashModifier = source.versionHashModifier
      return property
    }

    private func attribute(
      _ attribute: NSAttributeDescription, _ source: Property
    ) -> NSAttributeDescription {
      attribute.attributeType = NSAttributeType(rawValue: source.type ?? 0)!
      attribute.allowsExternalBinaryDataStorage = (source.flags ?? 0) & 4 != 0
      attribute.preservesValueInHistoryOnDeletion = (source.flags ?? 0) & 16 != 0
      return attribute
    }

    private func relationship(
      _ source: Property, in entity: NSEntityDescription
    ) -> NSRelationshipDescription {
      let relationship = NSRelationshipDescription()
      let destination = NSEntityDescription()
      destination.name = source.destination
      entities.append(destination)
      relationship.destinationEntity = destination
      relationship.minCount = source.minCount ?? 0
      relationship.maxCount = source.maxCount ?? 0
      relationship.isOrdered = source.ordered ?? false
      if let name = source.inverse {
        let lineage = entity.lineage.map(\.name)
        if name == source.name, lineage.contains(source.destination) {
          relationship.inverseRelationship = relationship
        } else {
          let inverse = NSRelationshipDescription()
          inverse.name = name
          inverses.append(inverse)
          relationship.inverseRelationship = inverse
        }
      }
      return relationship
    }
  }

  @Test("Every entity of the vectors has the hash that Apple's Core Data computes")
  func vectors() throws {
    let packed = try Data(contentsOf: Fixtures.url("version-hashes/vectors.json.gz"))
    let json = try Deflate.decompress(try Self.content(ofGzip: packed), limit: 1 << 26)
    let vectors = try JSONDecoder().decode([Vector].self, from: json)
    #expect(vectors.count == 578)
    var differing: [String] = []
    for vector in vectors {
      let maker = Maker()
      let hash = maker.make(vector.entity).versionHash
      let text = hash.map { String(format: "%02x", $0) }.joined()
      if text != vector.versionHash { differing.append(vector.entity.name) }
    }
    #expect(differing == [])
  }

  /// Returns the compressed bytes of a gzip file, without its header or trailer.
  private static func content(ofGzip data: Data) throws -> Data {
    let bytes = [UInt8](data)
    try #require(bytes.starts(with: [0x1F, 0x8B, 8]))
    var start = 10
    if bytes[3] & 4 != 0 { start += 2 + Int(bytes[start]) + Int(bytes[start + 1]) << 8 }
    for flag: UInt8 in [8, 16] where bytes[3] & flag != 0 {
      start = try #require(bytes[start...].firstIndex(of: 0)) + 1
    }
    return Data(bytes[start..<(bytes.count - 8)])
  }
}
