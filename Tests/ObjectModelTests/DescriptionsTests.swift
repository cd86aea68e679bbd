import Foundation
import Predicates
import Testing

@testable import ObjectModel

@Suite("Descriptions built in code")
struct DescriptionsTests {
  @Test("A new description has Core Data's defaults")
  func defaults() {
    let entity = NSEntityDescription()
    #expect(entity.name == nil)
    #expect(entity.managedObjectClassName == "NSManagedObject")
    #expect(!entity.isAbstract)
    #expect(entity.uniquenessConstraints.isEmpty)
    let attribute = NSAttributeDescription()
    #expect(attribute.attributeType == .undefinedAttributeType)
    #expect(attribute.type == .undefined)
    #expect(attribute.isOptional)
    #expect(!attribute.isTransient)
    #expect(attribute.defaultValue == nil)
    #expect(attribute.attributeValueClassName == nil)
    let relationship = NSRelationshipDescription()
    #expect(relationship.minCount == 0)
    #expect(relationship.maxCount == 0)
    #expect(relationship.isToMany)
    #expect(relationship.deleteRule == .nullifyDeleteRule)
    #expect(NSFetchedPropertyDescription().isTransient)
    #expect(NSCompositeAttributeDescription().attributeType == .compositeAttributeType)
  }

  @Test("The entity of a property outside any entity has no name")
  func propertyOfNoEntity() {
    #expect(NSAttributeDescription().entity.name == nil)
    let attribute = NSAttributeDescription()
    do {
      let entity = NSEntityDescription()
      entity.properties = [attribute]
      #expect(attribute.entity === entity)
    }
    #expect(attribute.entity.properties.isEmpty)
  }

  @Test("Types have Apple's raw values")
  func rawValues() {
    #expect(
      NSAttributeType.allCases.map(\.rawValue) == [
        0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1800, 2000, 2100,
      ])
    #expect(NSDeleteRule.allCases.map(\.rawValue) == [0, 1, 2, 3])
    #expect(NSFetchIndexElementType.rTree.rawValue == 1)
  }

  @Test("Properties are in the model's order, inherited ones first")
  func inheritance() throws {
    let model = Samples.staff()
    let employee = try #require(model.entitiesByName["Employee"])
    let person = try #require(model.entitiesByName["Person"])
    #expect(employee.properties.map(\.name) == ["name", "age", "team", "salary"])
    #expect(employee.ownProperties.map(\.name) == ["salary"])
    #expect(employee.superentity === person)
    #expect(employee.isKindOf(entity: person))
    #expect(!person.isKindOf(entity: employee))
    #expect(employee.propertiesByName["name"]?.entity === person)
    #expect(employee.attributesByName.keys.sorted() == ["age", "name", "salary"])
    #expect(person.subentitiesByName["Employee"] === employee)
    let team = try #require(model.entitiesByName["Team"])
    #expect(employee.relationships(forDestination: team).map(\.name) == ["team"])
    #expect(employee.managedObjectModel === model)
  }

  @Test("Setting properties ignores inherited ones and releases replaced ones")
  func settingProperties() throws {
    let model = Samples.staff()
    let employee = try #require(model.entitiesByName["Employee"])
    let salary = try #require(employee.ownProperties.first)
    employee.properties = employee.properties + [Samples.attribute("room", .stringAttributeType)]
    #expect(employee.ownProperties.map(\.name) == ["salary", "room"])
    employee.properties = []
    #expect(salary.owner == nil)
    #expect(employee.properties.map(\.name) == ["name", "age", "team"])
  }

  @Test("The renaming identifier is the name unless it is set")
  func renamingIdentifier() {
    let attribute = Samples.attribute("age", .integer16AttributeType)
    #expect(attribute.renamingIdentifier == "age")
    attribute.renamingIdentifier = "years"
    #expect(attribute.renamingIdentifier == "years")
    attribute.renamingIdentifier = nil
    #expect(attribute.renamingIdentifier == "age")
  }

  @Test("Validation predicates and warnings are returned as they were set")
  func validation() {
    let attribute = Samples.attribute("age", .integer16AttributeType)
    attribute.setValidationPredicates(
      [try? NSPredicate(validating: "SELF >= 18"), try? NSPredicate(validating: "SELF < 200")]
        .compactMap { $0 },
      withValidationWarnings: ["too young", "too old"])
    #expect(attribute.validationPredicates.count == 2)
    #expect(attribute.validationPredicates.map { $0.evaluate(with: 30) } == [true, true])
    #expect(attribute.validationPredicates.map { $0.evaluate(with: 3) } == [false, true])
    #expect(attribute.validationWarnings as? [String] == ["too young", "too old"])
  }

  @Test("A copy of a model refers to its own entities, and the original is unchanged")
  func copying() throws {
    let model = Samples.staff()
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
    let team = try #require(copy.entitiesByName["Team"])
    #expect(team !== model.entitiesByName["Team"])
    let members = try #require(team.relationshipsByName["members"])
    #expect(members.destinationEntity === copy.entitiesByName["Person"])
    #expect(members.inverseRelationship?.entity === copy.entitiesByName["Person"])
    #expect(copy.entitiesByName["Employee"]?.superentity === copy.entitiesByName["Person"])
    copy.entitiesByName["Team"]?.name = "Group"
    #expect(model.entitiesByName["Team"] != nil)
  }

  @Test("A frozen model returns the same values, and its copy can be changed")
  func freezing() throws {
    let model = Samples.staff()
    let hashes = model.entityVersionHashesByName
    let names = model.entities.map { $0.properties.map(\.name) }
    model.freeze()
    model.freeze()
    #expect(model.entityVersionHashesByName == hashes)
    #expect(model.entities.map { $0.properties.map(\.name) } == names)
    #expect(model.entities.allSatisfy { $0.isImmutable })
    #expect(model.entities.flatMap(\.properties).allSatisfy { $0.isImmutable })
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    copy.entities[0].name = "Human"
    #expect(copy.entities[0].name == "Human")
  }

  @Test("Changing a frozen model stops the program")
  func changingFrozenModel() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let model = Samples.staff()
      model.freeze()
      model.entities[0].ownProperties[0].isOptional = true
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Can't modify an immutable model (property Person.name)."))
    await #expect(processExitsWith: .failure) {
      let model = Samples.staff()
      model.freeze()
      model.entities = []
    }
  }

  @Test("A part of a model in use stays where it is, and another model that contains it is invalid")
  func sharingPartsOfFrozenModel() throws {
    let used = Samples.staff()
    let person = try #require(used.entitiesByName["Person"])
    let name = try #require(person.propertiesByName["name"])
    let element = NSFetchIndexElementDescription(propertyName: "age", collationType: .binary)
    let index = NSFetchIndexDescription(name: "byAge", elements: [element])
    person.indexes = [index]
    used.freeze()
    func problems(_ change: (NSEntityDescription) -> Void) -> [String] {
      let thing = NSEntityDescription()
      thing.name = "Thing"
      let age = NSAttributeDescription()
      (age.name, age.attributeType) = ("age", .integer64AttributeType)
      thing.ownProperties = [age]
      change(thing)
      let other = NSManagedObjectModel()
      other.entities = [thing]
      return other.problems.filter { $0.kind == .sharedDescription }.map(\.message)
    }
    let other = NSManagedObjectModel()
    other.entities = [person]
    #expect(
      other.problems.filter { $0.kind == .sharedDescription }.map(\.message)
        == ["the entity belongs to another model; use a copy of it"])
    #expect(
      problems { $0.ownProperties.append(name) }
        == ["the property also belongs to 'Person'; use a copy of it"])
    #expect(
      problems { $0.indexes = [index] }
        == ["the index 'byAge' also belongs to 'Person'; use a copy of it"])
    #expect(
      problems { $0.indexes = [NSFetchIndexDescription(name: "other", elements: [element])] }
        == ["an element of the index 'other' also belongs to another index; use a copy of it"])
    #expect(person.model === used && name.owner === person && index.entity === person)
    #expect(element.indexDescription === index)
  }

  @Test("Moving an entity of a model in use to another superentity stops the program")
  func movingPartsOfFrozenModel() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let model = Samples.staff()
      model.freeze()
      let parent = NSEntityDescription()
      parent.subentities = [model.entities[0]]
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Can't modify an immutable model (entity Person)."))
  }

  @Test("A description can be changed while it keeps a part of a model in use")
  func keepingPartsOfFrozenModel() {
    let model = Samples.staff()
    let thing = NSEntityDescription()
    thing.name = "Thing"
    thing.subentities = [model.entities[0]]
    model.freeze()
    let other = NSEntityDescription()
    thing.subentities.append(other)
    #expect(model.entities[0].superentity === thing)
    #expect(other.superentity === thing)
  }

  @Test("A model in use is released with its last reference")
  func noCycles() {
    weak var seen: NSManagedObjectModel?
    weak var property: NSPropertyDescription?
    do {
      let model = Samples.staff()
      model.freeze()
      seen = model
      property = model.entities[0].ownProperties[0]
      #expect(property != nil)
    }
    #expect(seen == nil)
    #expect(property == nil)
  }

  @Test("The entities of all configurations together equal those of each configuration")
  func entitiesOfAllConfigurations() {
    let model = NSManagedObjectModel()
    model.entities = (0..<60).map { number in
      let entity = NSEntityDescription()
      entity.name = "E\(number)"
      return entity
    }
    // Some configurations have the same name, and some contain entities that the model does not have.
    for number in 0..<80 {
      model.configurationTable.append(
        ModelConfiguration(
          name: "c\(number % 70)",
          entityNames: (0..<5).map { "E\((number * 7 + $0 * 11) % 65)" }))
    }
    let all = NSManagedObjectModel.defaultConfigurationName
    model.configurationTable.append(ModelConfiguration(name: all, entityNames: []))
    let found = model.entitiesByConfiguration
    #expect(found.map(\.name) == model.configurations)
    for (name, entities) in found {
      let wanted = model.entities(forConfigurationName: name) ?? []
      #expect(
        entities.map(ObjectIdentifier.init) == wanted.map(ObjectIdentifier.init), "\(name)")
    }
  }

  @Test("Adding a configuration does not copy the others")
  func addingInPlace() {
    let model = NSManagedObjectModel()
    func place() -> UnsafeRawPointer? {
      model.configurationTable.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
    model.configurationTable.reserveCapacity(100)
    let before = place()
    for number in 0..<100 { model.setEntities([], forConfigurationName: "c\(number)") }
    #expect(model.configurations.count == 100)
    #expect(place() == before)
  }

  @Test("Thousands of fetch requests can be added one by one", .timeLimit(.minutes(60)))
  func manyFetchRequests() {
    let model = NSManagedObjectModel()
    for number in 0..<50_000 {
      let name = "f\(number)"
      model.fetchRequestTemplates[name] = FetchRequestTemplate(name: name, entityName: "E")
    }
    #expect(model.fetchRequestTemplates.count == 50_000)
    #expect(model.fetchRequestTemplates["f49999"]?.name == "f49999")
  }

  @Test("Configurations keep the model's order, and an unknown name has no entities")
  func configurations() throws {
    let model = Samples.staff()
    let team = try #require(model.entitiesByName["Team"])
    let person = try #require(model.entitiesByName["Person"])
    model.setEntities([team, person], forConfigurationName: "Cloud")
    #expect(model.configurations == ["Cloud"])
    #expect(
      model.entities(forConfigurationName: "Cloud")?.map(\.name) == ["Person", "Team"])
    #expect(model.entities(forConfigurationName: nil)?.count == 3)
    #expect(model.entities(forConfigurationName: "Local") == nil)
    let hashes = model.entityVersionHashesByName
    let metadata = ["NSStoreModelVersionHashes": hashes.filter { $0.key != "Employee" }]
    #expect(model.isConfiguration(withName: "Cloud", compatibleWithStoreMetadata: metadata))
    #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
  }

  @Test("Merging models keeps one of two equal entities and rejects different ones")
  func merging() throws {
    let one = Samples.staff()
    let other = Samples.staff()
    let place = NSEntityDescription()
    place.name = "Place"
    other.entities += [place]
    one.localizationDictionary = ["Entity/Team": "Mannschaft"]
    other.localizationDictionary = ["Entity/Team": "Équipe", "Entity/Place": "Ort"]
    let merged = try #require(NSManagedObjectModel(byMerging: [one, other]))
    #expect(
      merged.localizationDictionary == ["Entity/Team": "Mannschaft", "Entity/Place": "Ort"])
    #expect(merged.entities.map(\.name) == ["Person", "Employee", "Team", "Place"])
    #expect(merged.entities.allSatisfy { $0.managedObjectModel === merged })
    other.entitiesByName["Team"]?.isAbstract = true
    #expect(NSManagedObjectModel(byMerging: [one, other]) == nil)
    #expect(NSManagedObjectModel(byMerging: nil) == nil)
    let error = #expect(throws: NSError.self) {
      try NSManagedObjectModel(merging: [one, other])
    }
    #expect(error?.localizedDescription.contains("'Team'") == true)
  }

  /// A model with the entity Base and subentities, which have a relationship whose inverse is inherited.
  private func family(_ children: [String]) -> NSManagedObjectModel {
    let base = NSEntityDescription()
    base.name = "Base"
    let code = NSAttributeDescription()
    code.name = "code"
    code.attributeType = .stringAttributeType
    let (next, previous) = (NSRelationshipDescription(), NSRelationshipDescription())
    (next.name, previous.name) = ("next", "previous")
    for (relationship, inverse) in [(next, previous), (previous, next)] {
      relationship.destinationEntity = base
      relationship.inverseRelationship = inverse
      relationship.maxCount = 1
    }
    base.properties = [code, next, previous]
    base.subentities = children.map { name in
      let child = NSEntityDescription()
      child.name = name
      let link = NSRelationshipDescription()
      link.name = "base"
      link.destinationEntity = child
      // An inverse that the destination inherits.
      link.inverseRelationship = next
      link.maxCount = 1
      child.properties = [link]
      return child
    }
    let model = NSManagedObjectModel()
    model.entities = [base] + base.subentities
    return model
  }

  @Test func `Merged entities keep their parents and inverses in any order of the models`() throws {
    let models = [family([]), family(["Child"]), family(["Other"]), family(["Child"])]
    let hashes = models[1].entityVersionHashesByName
      .merging(models[2].entityVersionHashesByName) { first, _ in first }
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
      let merged = try NSManagedObjectModel(merging: order.map { models[$0] })
      #expect(merged.entityVersionHashesByName == hashes, "\(order)")
      let base = try #require(merged.entitiesByName["Base"])
      #expect(Set(base.subentities.map(\.name)) == ["Child", "Other"] && base.superentity == nil)
      for name in ["Child", "Other"] {
        let child = try #require(merged.entitiesByName[name])
        #expect(child.superentity === base)
        #expect(child.attributesByName["code"] === base.attributesByName["code"])
        let relationship = try #require(child.relationshipsByName["base"])
        #expect(relationship.destinationEntity === child)
        #expect(relationship.inverseRelationship === base.relationshipsByName["next"])
      }
      for property in merged.entities.flatMap({ $0.relationshipsByName.values }) {
        #expect(property.inverseRelationship?.owner?.model === merged, "\(order) \(property.name)")
      }
    }
  }

  @Test("A bundle's models are merged, and a store's model is found among all versions")
  func bundles() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, entity) in [
      ("A.xcdatamodeld/1.xcdatamodel", "Old"), ("A.xcdatamodeld/2.xcdatamodel", "Older"),
      ("B.xcdatamodel", "Other"),
    ] {
      let version = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Samples.contents("<entity name=\"\(entity)\"/>").write(
        to: version.appendingPathComponent("contents"))
    }
    let bundle = try #require(Bundle(path: folder.path))
    let model = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
    #expect(model.entities.map(\.name) == ["Old", "Other"])
    let second = NSEntityDescription()
    second.name = "Older"
    let metadata = ["NSStoreModelVersionHashes": ["Older": second.versionHash]]
    let found = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
    #expect(found?.entities.map(\.name) == ["Older"])
    #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: [:]) == nil)
  }

  @Test("Differences state the entity, the property and what differs")
  func differences() throws {
    let one = Samples.staff()
    let other = Samples.staff()
    #expect(one.differences(from: other).isEmpty)
    let person = try #require(other.entitiesByName["Person"])
    person.attributesByName["age"]?.attributeType = .integer32AttributeType
    person.ownProperties.append(Samples.attribute("email", .stringAttributeType))
    // The relationship still refers to the entity that its model no longer has.
    let team = try #require(other.entitiesByName["Team"])
    other.entities.removeAll { $0 === team }
    let differences = withExtendedLifetime(team) { one.differences(from: other) }
    #expect(
      differences.map(\.description) == [
        "Person.age: type Integer 32 → Integer 16",
        "Person.email: removed, was optional String",
        "Team: added",
      ])
  }
}
