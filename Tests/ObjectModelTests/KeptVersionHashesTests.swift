import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite struct KeptVersionHashesTests {
  @Test func `A model computes its version hashes once`() throws {
    let sample = Sample()
    let first = sample.model.versionHashes
    let metadata = ["NSStoreModelVersionHashes": sample.model.entityVersionHashesByName]
    #expect(sample.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    _ = sample.model.versionChecksum
    _ = sample.model.entities.map(\.versionHash)
    #expect(sample.model.versionHashes === first)
    sample.model.freeze()
    #expect(sample.model.versionHashes === first)
    #expect(sample.model.entities[0].versionHash == first.byName["Animal"])
  }

  @Test func `A change to one model does not affect the hashes of others`() {
    let (one, other) = (Sample(), Sample())
    let (first, second) = (one.model.versionHashes, other.model.versionHashes)
    one.animal.name = "Beast"
    #expect(one.model.versionHashes !== first)
    #expect(other.model.versionHashes === second)
    _ = one.model.copy()
    #expect(other.model.versionHashes === second)
  }

  @Test func `A copy of a model in use has hashes of its own`() throws {
    let sample = Sample()
    let own = sample.model.entityVersionHashesByName
    sample.model.freeze()
    let copy = try #require(sample.model.copy() as? NSManagedObjectModel)
    let before = copy.entityVersionHashesByName
    copy.entities[0].versionHashModifier = "2"
    #expect(copy.entityVersionHashesByName["Animal"] != before["Animal"])
    #expect(sample.model.entityVersionHashesByName == own)
  }

  @Test func `Every change to a description changes the version hashes`() throws {
    for (name, change) in Sample.changes {
      let sample = Sample()
      let before = sample.model.entityVersionHashesByName
      change(sample)
      let after = sample.model.entityVersionHashesByName
      #expect(after != before, "\(name)")
      #expect(after == sample.computedHashes, "\(name)")
      for entity in sample.model.entities {
        #expect(entity.versionHash == after[entity.name ?? ""], "\(name)")
      }
    }
  }

  @Test func `Cached hashes equal computed ones after any changes`() throws {
    var random = SeededGenerator("kept version hashes")
    for _ in 0..<20 {
      let sample = Sample()
      for _ in 0..<30 {
        let (name, change) = try #require(Sample.changes.randomElement(using: &random))
        change(sample)
        // The second read returns the cached hashes.
        for _ in 0..<2 {
          #expect(sample.model.entityVersionHashesByName == sample.computedHashes, "\(name)")
        }
        if Bool.random(using: &random) { _ = sample.other.entityVersionHashesByName }
      }
    }
  }

  @Test func `Threads that only read a model can read its hashes concurrently`() async {
    let sample = Sample()
    let expected = sample.computedHashes
    let results = await withTaskGroup(of: [String: Data].self) { group in
      for _ in 0..<8 { group.addTask { sample.model.entityVersionHashesByName } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results == Array(repeating: expected, count: 8))
  }
}

/// A model with every kind of property, another model with an entity that this model's entities
/// refer to, and changes.
private final class Sample: @unchecked Sendable {
  let model = NSManagedObjectModel()
  let other = NSManagedObjectModel()
  let animal = NSEntityDescription()
  let dog = NSEntityDescription()
  let owner = NSEntityDescription()
  /// The entity of another model, and the parent of one of this model's.
  let thing = NSEntityDescription()
  let name = NSAttributeDescription()
  let weight = NSAttributeDescription()
  let place = NSCompositeAttributeDescription()
  let latitude = NSAttributeDescription()
  let inner = NSCompositeAttributeDescription()
  let count = NSDerivedAttributeDescription()
  let pets = NSRelationshipDescription()
  let keeper = NSRelationshipDescription()
  let serial = NSAttributeDescription()
  /// The last number of a generated string.
  private var number = 0

  init() {
    for (entity, text) in [
      (animal, "Animal"), (dog, "Dog"), (owner, "Owner"), (thing, "Thing"),
    ] { entity.name = text }
    for (attribute, text) in [
      (name, "name"), (weight, "weight"), (place, "place"), (latitude, "latitude"),
      (inner, "inner"), (count, "count"), (serial, "serial"),
    ] {
      attribute.name = text
      if !(attribute is NSCompositeAttributeDescription) {
        attribute.attributeType = .stringAttributeType
      }
    }
    inner.elements = [latitude]
    place.elements = [inner]
    count.derivationText = "pets.@count"
    pets.name = "pets"
    keeper.name = "keeper"
    pets.destinationEntity = animal
    keeper.destinationEntity = owner
    pets.inverseRelationship = keeper
    keeper.inverseRelationship = pets
    animal.properties = [name, weight, keeper]
    dog.properties = [place]
    owner.properties = [count, pets]
    thing.properties = [serial]
    animal.subentities = [dog]
    thing.subentities = [owner]
    model.entities = [animal, dog, owner]
    other.entities = [thing]
  }

  var computedHashes: [String: Data] {
    let hasher = VersionHasher()
    return Dictionary(
      model.entities.map { ($0.name ?? "", hasher.hash(of: $0)) }, uniquingKeysWith: { $1 })
  }

  private func text() -> String {
    number += 1
    return "text\(number)"
  }

  static let changes: [(String, @Sendable (Sample) -> Void)] = [
    ("entity's name", { $0.dog.name = $0.text() }),
    ("destination's name", { $0.animal.name = $0.text() }),
    ("abstract", { $0.animal.isAbstract.toggle() }),
    ("entity's modifier", { $0.owner.versionHashModifier = $0.text() }),
    (
      "constraint",
      {
        $0.animal.uniquenessConstraints = $0.animal.uniquenessConstraints.isEmpty ? [[$0.name]] : []
      }
    ),
    ("attribute's name", { $0.name.name = $0.text() }),
    ("optional", { $0.name.isOptional.toggle() }),
    ("transient", { $0.weight.isTransient.toggle() }),
    ("property's modifier", { $0.weight.versionHashModifier = $0.text() }),
    (
      "type",
      {
        $0.name.attributeType =
          $0.name.attributeType == .doubleAttributeType ? .dateAttributeType : .doubleAttributeType
      }
    ),
    ("external", { $0.weight.allowsExternalBinaryDataStorage.toggle() }),
    ("kept in history", { $0.weight.preservesValueInHistoryOnDeletion.toggle() }),
    ("derivation", { $0.count.derivationText = $0.text() }),
    ("elements", { $0.inner.elements = $0.inner.elements.isEmpty ? [$0.latitude] : [] }),
    ("element's element", { $0.inner.isOptional.toggle() }),
    (
      "destination",
      { $0.pets.destinationEntity = $0.pets.destinationEntity === $0.dog ? $0.animal : $0.dog }
    ),
    (
      "inverse",
      { $0.pets.inverseRelationship = $0.pets.inverseRelationship == nil ? $0.keeper : nil }
    ),
    ("inverse's name", { $0.keeper.name = $0.text() }),
    ("most", { $0.pets.maxCount += 1 }),
    ("least", { $0.pets.minCount += 1 }),
    ("order", { $0.pets.isOrdered.toggle() }),
    (
      "property",
      { sample in
        let attribute = NSAttributeDescription()
        attribute.name = sample.text()
        sample.dog.properties.append(attribute)
      }
    ),
    (
      "inherited property",
      {
        $0.animal.ownProperties.removeLast(); $0.animal.ownProperties.append($0.keeper);
        $0.keeper.isOptional.toggle()
      }
    ),
    ("entity above", { $0.animal.subentities = $0.animal.subentities.isEmpty ? [$0.dog] : [] }),
    (
      "entity above, of another model",
      { $0.thing.subentities = $0.thing.subentities.isEmpty ? [$0.owner] : [] }
    ),
    ("property of an entity of another model", { $0.serial.name = $0.text() }),
    (
      "entities",
      { sample in
        let entity = NSEntityDescription()
        entity.name = sample.text()
        sample.model.entities.append(entity)
      }
    ),
  ]
}
