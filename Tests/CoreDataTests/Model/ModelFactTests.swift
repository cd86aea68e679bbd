import CoreData
import Testing

/// The class of two entities.
final class SharedClass: NSManagedObject {}

/// Sources: NSEntityDescription.h, NSAttributeDescription.h, NSRelationshipDescription.h and
/// NSPropertyDescription.h (contents of version hashes, defaults), and CoreDataPlus's tests.
@Suite("Models as Apple's headers describe them")
struct ModelFactTests {
  private struct Change {
    let text: String
    let isHashed: Bool
    let make: (NSManagedObjectModel) throws -> Void

    init(_ text: String, hashed: Bool, _ make: @escaping (NSManagedObjectModel) throws -> Void) {
      (self.text, isHashed, self.make) = (text, hashed, make)
    }
  }

  private func player(_ model: NSManagedObjectModel) throws -> NSEntityDescription {
    try #require(model.entitiesByName["Player"])
  }

  private func name(_ model: NSManagedObjectModel) throws -> NSAttributeDescription {
    try #require(try player(model).attributesByName["name"])
  }

  private func tags(_ model: NSManagedObjectModel) throws -> NSRelationshipDescription {
    try #require(try player(model).relationshipsByName["tags"])
  }

  private var changes: [Change] {
    [
      Change("property's name", hashed: true) { try name($0).name = "title" },
      Change("optional", hashed: true) { try name($0).isOptional = false },
      Change("transient", hashed: true) { try name($0).isTransient = true },
      Change("property's modifier", hashed: true) { try name($0).versionHashModifier = "2" },
      Change("attribute's type", hashed: true) { try name($0).attributeType = .dateAttributeType },
      Change("destination", hashed: true) {
        let locker = try #require($0.entitiesByName["Locker"])
        let tags = try tags($0)
        tags.inverseRelationship?.inverseRelationship = nil
        tags.inverseRelationship = nil
        tags.destinationEntity = locker
      },
      Change("inverse", hashed: true) {
        let tags = try tags($0)
        tags.inverseRelationship?.inverseRelationship = nil
        tags.inverseRelationship = nil
      },
      Change("minimum count", hashed: true) { try tags($0).minCount = 1 },
      Change("maximum count", hashed: true) { try tags($0).maxCount = 5 },
      Change("abstract", hashed: true) { try player($0).isAbstract = true },
      Change("constraint", hashed: true) { try player($0).uniquenessConstraints = [["name"]] },
      Change("entity's modifier", hashed: true) { try player($0).versionHashModifier = "2" },
      Change("class", hashed: false) { try player($0).managedObjectClassName = "Other" },
      Change("userInfo", hashed: false) {
        try player($0).userInfo = ["a": "b"]
        try name($0).userInfo = ["a": "b"]
      },
      Change("rules", hashed: false) {
        try name($0).setValidationPredicates(
          [NSPredicate(format: "length > 2")], withValidationWarnings: ["short"])
      },
      Change("default value", hashed: false) { try name($0).defaultValue = "Ann" },
      Change("delete rule", hashed: false) { try tags($0).deleteRule = .cascadeDeleteRule },
      Change("renaming identifier", hashed: false) { try name($0).renamingIdentifier = "old" },
      Change("index", hashed: false) {
        try player($0).indexes = [
          NSFetchIndexDescription(
            name: "byName",
            elements: [
              NSFetchIndexElementDescription(property: try name($0), collationType: .binary)
            ])
        ]
      },
    ]
  }

  @Test("A version hash covers what Apple's headers list, and nothing else")
  func hashes() throws {
    let before = SampleStack.makeModel().entityVersionHashesByName
    for change in changes {
      let model = SampleStack.makeModel()
      try change.make(model)
      let after = model.entityVersionHashesByName
      #expect((after["Player"] != before["Player"]) == change.isHashed, "\(change.text)")
      // A subentity's hash includes that of its superentity.
      #expect((after["Captain"] != before["Captain"]) == change.isHashed, "\(change.text)")
      #expect((model.versionChecksum != SampleStack.makeModel().versionChecksum) == change.isHashed)
      #expect(after["Trophy"] == before["Trophy"], "\(change.text)")
    }
  }

  @Test(
    "An entity without a model has a hash, which changes when a relationship gets a destination")
  func hashOutsideModel() throws {
    let (owner, pet) = (NSEntityDescription(), NSEntityDescription())
    owner.name = "Owner"
    pet.name = "Pet"
    let pets = NSRelationshipDescription()
    pets.name = "pets"
    owner.properties = [pets]
    let before = owner.versionHash
    pets.destinationEntity = pet
    #expect(before.count == 32 && owner.versionHash != before)
  }

  @Test("Entities and properties have Apple's defaults")
  func defaults() {
    let entity = NSEntityDescription()
    #expect(
      entity.indexes.isEmpty && entity.compoundIndexes.isEmpty && entity.userInfo?.count ?? 0 == 0)
    let attribute = NSAttributeDescription()
    #expect(!attribute.allowsExternalBinaryDataStorage && attribute.defaultValue == nil)
    #expect(!attribute.preservesValueInHistoryOnDeletion && !attribute.isTransient)
    let relationship = NSRelationshipDescription()
    #expect(!relationship.isOrdered && relationship.inverseRelationship == nil)
    #expect(relationship.minCount == 0 && relationship.maxCount == 0 && relationship.isToMany)
    relationship.maxCount = 1
    #expect(!relationship.isToMany)
    relationship.maxCount = 2
    #expect(relationship.isToMany)
    attribute.name = "age"
    #expect(attribute.renamingIdentifier == "age")
  }

  @Test("An object of a class with two entities has the entity it was inserted with")
  func sharedClass() throws {
    let model = SampleStack.makeModel()
    for name in ["Team", "Locker"] {
      model.entitiesByName[name]?.managedObjectClassName = "CoreDataTests.SharedClass"
    }
    try SampleStack.withContext(model: model) { context in
      for name in ["Team", "Locker"] {
        let entity = try #require(NSEntityDescription.entity(forEntityName: name, in: context))
        #expect(SharedClass(entity: entity, insertInto: context).entity === entity)
        #expect(context.insert(name) is SharedClass)
      }
      // In Apple's Core Data, `init(context:)` and `entity()` raise an exception. Here they use one of
      // the two entities.
      #expect(["Team", "Locker"].contains(SharedClass(context: context).entity.name))
      #expect(["Team", "Locker"].contains(SharedClass.entity().name))
    }
  }

  // Apple's page "mergedModel(from:)": models that have different entities of the same name cannot
  // be merged.
  @Test("Contradictory models are not merged, and the throwing initializer says why")
  func contradictions() throws {
    func model(_ version: String, _ names: [String]) -> NSManagedObjectModel {
      let model = NSManagedObjectModel()
      model.entities = names.map { name in
        let entity = NSEntityDescription()
        entity.name = name
        entity.versionHashModifier = version
        return entity
      }
      return model
    }
    let (one, same, other) = (
      model("1", ["Shelf", "Book"]), model("1", ["Book"]), model("2", ["Book", "Author"])
    )
    #expect(NSManagedObjectModel(byMerging: [one, other]) == nil)
    let error = #expect(throws: NSError.self) { try NSManagedObjectModel(merging: [one, other]) }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.localizedDescription.contains("Book") == true)
    let merged = try NSManagedObjectModel(merging: [one, same])
    #expect(Set(merged.entities.map(\.name)) == ["Shelf", "Book"])
    #expect(NSManagedObjectModel(byMerging: [one, same])?.entities.count == 2)
  }
}
