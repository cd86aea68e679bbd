import Foundation
import Testing

@testable import ObjectModel

/// The changes that Apple's documentation says can be inferred, and those that it says cannot.
///
/// Sources: "Lightweight Migration" in the Core Data Model Versioning and Data Migration
/// Programming Guide (developer.apple.com/library/archive, vmLightweightMigration), its successor
/// "Migrating your data model automatically" (developer.apple.com/documentation/coredata), the page
/// for `NSMappingModel.inferredMappingModel(forSourceModel:destinationModel:)`, and the list of
/// WWDC 2010, session 118, as quoted in public.
@Suite("Lightweight changes")
struct LightweightMigrationTests {
  /// Changes a copy of a sample model, and compares it with the original. The model has the entities Person, Employee,
  /// which inherits from Person, and Team.
  private func changes(
    _ change: (NSManagedObjectModel) throws -> Void
  ) throws -> ModelComparison {
    let old = Samples.staff()
    let new = try #require(old.copy() as? NSManagedObjectModel)
    try change(new)
    return ModelComparison(from: old, to: new)
  }

  private func entity(_ name: String, of model: NSManagedObjectModel) throws -> NSEntityDescription
  {
    try #require(model.entitiesByName[name])
  }

  // "Addition of an attribute", "removal of an attribute", "a nonoptional attribute becoming
  // optional", "an optional attribute becoming nonoptional, and defining a default value".
  @Test func `Attributes are added, removed, made optional, and required with a default`() throws {
    let comparison = try changes { model in
      let person = try entity("Person", of: model)
      person.ownProperties.append(Samples.attribute("email", .stringAttributeType))
      person.attributesByName["name"]?.isOptional = true
      person.attributesByName["age"]?.isOptional = false
      person.attributesByName["age"]?.defaultValue = NSNumber(value: 0)
      try entity("Team", of: model).ownProperties.removeFirst()
    }
    #expect(
      comparison.lines == [
        "~ Person.age becomes required", "= Person.age default none → 0",
        "~ Person.email added, optional String", "~ Person.name becomes optional",
        "~ Team.title removed, was optional String",
      ])
    #expect(comparison.migration.weight == 1)
    #expect(comparison.changes.map(\.migration).contains(.lightweight(.defaultIsFilledIn)))
  }

  // Core Data's error: "Validation error missing attribute values on mandatory destination
  // attribute" (134110; github.com/paulw11/Seam3/issues/28).
  @Test func `A required attribute without a default needs a mapping model if there are rows`()
    throws
  {
    let added = try changes { model in
      try entity("Person", of: model).ownProperties.append(
        Samples.attribute("birthday", .dateAttributeType, isOptional: false))
      try entity("Person", of: model).attributesByName["age"]?.isOptional = false
    }
    #expect(
      added.changes.map(\.migration) == [
        .mappingModel(.valueMissing(entities: ["Employee", "Person"])),
        .mappingModel(.valueMissing(entities: ["Employee", "Person"])),
      ])
    // A new entity has no rows.
    let fresh = try changes { model in
      let badge = NSEntityDescription()
      badge.name = "Badge"
      badge.ownProperties = [Samples.attribute("code", .stringAttributeType, isOptional: false)]
      model.entities.append(badge)
    }
    #expect(fresh.lines == ["~ Badge added"])
  }

  // Only the program that made the model knows the class of such a default value.
  @Test func `A default value that cannot be read is no value for rows`() throws {
    let comparison = try changes { model in
      for (name, isOptional) in [("back", true), ("cover", false)] {
        let attribute = Samples.attribute(
          name, .transformableAttributeType, isOptional: isOptional)
        attribute.archivedDefaultValue = KeyedArchive(
          objects: [.value(.string("$null")), .instance(classNames: ["Cover"], fields: [:])],
          root: 1)
        try entity("Person", of: model).ownProperties.append(attribute)
      }
    }
    #expect(
      comparison.changes.map(\.migration) == [
        .lightweight, .mappingModel(.valueMissing(entities: ["Employee", "Person"])),
      ])
  }

  // Apple's hashes have the same byte for both settings (`VersionHasher`).
  @Test func `Preservation in place of external storage, or the reverse, needs no migration`()
    throws
  {
    let old = Samples.staff()
    try entity("Team", of: old).attributesByName["title"]?.allowsExternalBinaryDataStorage = true
    let new = try #require(old.copy() as? NSManagedObjectModel)
    let title = try #require(try entity("Team", of: new).attributesByName["title"])
    title.allowsExternalBinaryDataStorage = false
    title.preservesValueInHistoryOnDeletion = true
    #expect(old.entityVersionHashesByName == new.entityVersionHashesByName)
    #expect(
      ModelComparison(from: old, to: new).lines == [
        "= Team.title no longer allows external storage",
        "= Team.title is preserved after deletion",
      ])
    #expect(
      ModelComparison(from: new, to: old).lines == [
        "= Team.title allows external storage",
        "= Team.title is no longer preserved after deletion",
      ])
    title.allowsExternalBinaryDataStorage = true
    #expect(old.entityVersionHashesByName != new.entityVersionHashesByName)
    #expect(
      ModelComparison(from: old, to: new).lines == ["~ Team.title is preserved after deletion"])
  }

  // "Renaming an entity or property"; "set the renaming identifier in the destination model to the
  // name of the corresponding property or entity in the source model". This also works from version
  // 1 to 3.
  @Test func `Renaming identifiers work across several versions`() throws {
    let one = Samples.staff()
    let two = try #require(one.copy() as? NSManagedObjectModel)
    let staff = try entity("Person", of: two)
    staff.name = "Human"
    staff.renamingIdentifier = "Person"
    staff.attributesByName["age"]?.renamingIdentifier = "age"
    staff.attributesByName["age"]?.name = "years"
    let three = try #require(two.copy() as? NSManagedObjectModel)
    try entity("Human", of: three).attributesByName["years"]?.name = "yearsOld"
    try entity("Human", of: three).name = "Member"
    #expect(
      ModelComparison(from: one, to: three).lines == [
        "~ Member renamed, was Person", "~ Member.yearsOld renamed, was age",
      ])
    #expect(
      ModelComparison(from: two, to: three).lines == [
        "~ Member renamed, was Human", "~ Member.yearsOld renamed, was years",
      ])
    #expect(
      ModelComparison(from: three, to: one).lines == [
        "~ Person renamed, was Member", "~ Person.age renamed, was yearsOld",
      ])
  }

  @Test func `Two attributes that swap their names keep their values`() throws {
    let comparison = try changes { model in
      let person = try entity("Person", of: model)
      let name = try #require(person.attributesByName["name"])
      let age = try #require(person.attributesByName["age"])
      (name.name, name.renamingIdentifier) = ("age", "name")
      (age.name, age.renamingIdentifier) = ("name", "age")
    }
    #expect(
      comparison.lines == ["~ Person.age renamed, was name", "~ Person.name renamed, was age"])
    let person = try #require(comparison.entities.first { $0.name == "Person" })
    #expect(
      person.sources.map { "\($0.new.name) ← \($0.old?.name ?? "")" }.prefix(2) == [
        "age ← name", "name ← age",
      ])
  }

  // "You can also change a relationship from a to-one to a to-many, or a nonordered to-many to
  // ordered (and vice versa)."
  @Test func `Relationships change between to-one, to-many and ordered`() throws {
    let comparison = try changes { model in
      try entity("Person", of: model).relationshipsByName["team"]?.maxCount = 0
      let members = try entity("Team", of: model).relationshipsByName["members"]
      members?.isOrdered = false
    }
    #expect(
      comparison.lines == [
        "~ Person.team to one → to many", "~ Team.members ordered → unordered",
      ])
    let back = ModelComparison(from: comparison.new, to: comparison.old)
    #expect(
      back.changes.map(\.migration) == [
        .lightweight(.onlyOneMemberIsKept), .lightweight(.orderIsArbitrary),
      ])
  }

  // "Adding an optional attribute or relationship" (inferredMappingModel). A required to-many relationship can be
  // added, too: versions of wire-ios-data-model add one, and Apple's Core Data migrates them.
  @Test func `Relationships are added with their inverse, and removed`() throws {
    let comparison = try changes { model in
      let person = try entity("Person", of: model)
      let team = try entity("Team", of: model)
      let leader = NSRelationshipDescription()
      leader.name = "leader"
      leader.destinationEntity = person
      leader.maxCount = 1
      let leads = NSRelationshipDescription()
      leads.name = "leads"
      leads.destinationEntity = team
      leads.isOptional = false
      leads.minCount = 0
      leader.inverseRelationship = leads
      leads.inverseRelationship = leader
      team.ownProperties.append(leader)
      person.ownProperties.append(leads)
    }
    #expect(
      comparison.lines == [
        "~ Person.leads added, required to-many relationship to Team",
        "~ Team.leader added, optional to-one relationship to Person",
      ])
  }

  // "You can create a new parent or child entity and move properties up and down the entity
  // hierarchy"; "You can move entities out of a hierarchy".
  @Test func `An attribute moves to a new parent, and a child leaves its hierarchy`() throws {
    let comparison = try changes { model in
      let person = try entity("Person", of: model)
      let name = try #require(person.attributesByName["name"])
      person.ownProperties.removeAll { $0 === name }
      let being = NSEntityDescription()
      being.name = "Being"
      being.isAbstract = true
      being.ownProperties = [name]
      being.subentities = [person]
      model.entities.append(being)
    }
    #expect(
      comparison.lines == [
        "~ Being added, abstract", "~ Being.name moved here from Person",
        "~ Person parent none → Being",
      ])
    let leaving = try changes { model in
      try entity("Person", of: model).subentities = []
    }
    #expect(leaving.lines == ["~ Employee parent Person → none"])
    #expect(
      leaving.migration
        == .lightweight(.inheritedValuesAreDeleted(properties: ["age", "name", "team"])))
  }

  // "You cannot, however, merge entity hierarchies; if two existing entities do not share a common
  // parent in the source, they cannot share a common parent in the destination."
  @Test func `Hierarchies cannot be merged`() throws {
    let comparison = try changes { model in
      let being = NSEntityDescription()
      being.name = "Being"
      being.isAbstract = true
      being.subentities = [try entity("Person", of: model), try entity("Team", of: model)]
      model.entities.append(being)
    }
    #expect(
      comparison.lines == [
        "~ Being added, abstract", "! Person parent none → Being", "! Team parent none → Being",
      ])
    #expect(comparison.migration == .mappingModel(.hierarchiesMerge(root: "Being")))
  }

  // WWDC 2010, session 118: "Attributes - numerical type conversion". A Boolean became an Integer
  // 32 in wire-ios-data-model 2.54, whose test expects that the value is kept. For other
  // conversions: "You cannot use lightweight migration for this"
  // (stackoverflow.com/questions/17534859).
  @Test func `Numbers can change their type, and other values cannot`() throws {
    let types: [(NSAttributeType, MigrationNeed)] = [
      (.integer32AttributeType, .lightweight), (.doubleAttributeType, .lightweight),
      (.decimalAttributeType, .lightweight), (.stringAttributeType, .mappingModel(.typesDiffer)),
      (.booleanAttributeType, .lightweight(.numbersAreConverted)),
      (.dateAttributeType, .mappingModel(.typesDiffer)),
    ]
    for (type, need) in types {
      let comparison = try changes { model in
        try entity("Person", of: model).attributesByName["age"]?.attributeType = type
      }
      #expect(comparison.changes.map(\.migration) == [need], "\(type)")
    }
    let narrower = try changes { model in
      let employee = try entity("Employee", of: model)
      employee.attributesByName["salary"]?.attributeType = .integer16AttributeType
    }
    #expect(narrower.migration == .lightweight(.numbersAreConverted))
    // Values that become equal by truncation violate a constraint.
    let unique = try changes { model in
      try entity("Employee", of: model).uniquenessConstraints = [["salary"]]
    }
    let both = try #require(unique.new.copy() as? NSManagedObjectModel)
    try entity("Employee", of: both).attributesByName["salary"]?.attributeType =
      .integer16AttributeType
    #expect(
      ModelComparison(from: unique.new, to: both).migration
        == .lightweight(.uniqueNumbersAreConverted))
  }

  // XML and binary stores keep the 38 digits of a decimal, and SQLite stores those of integers of 64 bits.
  @Test func `A decimal holds every integer, and a double holds fewer digits than a decimal`()
    throws
  {
    func need(_ type: NSAttributeType, _ next: NSAttributeType) throws -> MigrationNeed {
      let (old, new) = (Samples.staff(), Samples.staff())
      try entity("Person", of: old).attributesByName["age"]?.attributeType = type
      try entity("Person", of: new).attributesByName["age"]?.attributeType = next
      return ModelComparison(from: old, to: new).migration
    }
    #expect(
      try need(.decimalAttributeType, .doubleAttributeType) == .lightweight(.numbersAreConverted))
    #expect(try need(.doubleAttributeType, .decimalAttributeType) == .lightweight)
    #expect(try need(.integer64AttributeType, .decimalAttributeType) == .lightweight)
  }

  @Test func `An attribute that becomes a relationship needs a mapping model`() throws {
    let comparison = try changes { model in
      let team = try entity("Team", of: model)
      let title = NSRelationshipDescription()
      title.name = "title"
      title.maxCount = 1
      title.destinationEntity = try entity("Person", of: model)
      team.ownProperties = [title] + team.ownProperties.filter { $0.name != "title" }
    }
    #expect(
      comparison.lines == [
        "! Team.title optional String → optional to-one relationship to Person"
      ])
  }

  @Test func `A new destination needs a mapping model unless it is a parent or child`()
    throws
  {
    let other = try changes { model in
      let members = try entity("Team", of: model).relationshipsByName["members"]
      members?.destinationEntity = try entity("Team", of: model)
    }
    #expect(other.lines == ["! Team.members destination Person → Team"])
    let narrower = try changes { model in
      let members = try entity("Team", of: model).relationshipsByName["members"]
      members?.destinationEntity = try entity("Employee", of: model)
    }
    #expect(narrower.migration == .lightweight(.membersOfOtherEntitiesAreRemoved))
    let wider = ModelComparison(from: narrower.new, to: narrower.old)
    #expect(wider.lines == ["~ Team.members destination Employee → Person"])
    #expect(wider.migration == .lightweight)
  }

  // Without an inverse, the row of each member of a to-many relationship contains the ID of its one owner.
  @Test func `Without an inverse, an object can be a member of one owner only`() throws {
    func model(
      _ text: (_ tags: NSRelationshipDescription, _ notes: NSRelationshipDescription) -> Void
    )
      -> NSManagedObjectModel
    {
      let (note, tag) = (NSEntityDescription(), NSEntityDescription())
      (note.name, tag.name) = ("Note", "Tag")
      let (tags, notes) = (NSRelationshipDescription(), NSRelationshipDescription())
      (tags.name, notes.name) = ("tags", "notes")
      (tags.destinationEntity, notes.destinationEntity) = (tag, note)
      (note.ownProperties, tag.ownProperties) = ([tags], [notes])
      text(tags, notes)
      let model = NSManagedObjectModel()
      model.entities = [note, tag]
      return model
    }
    func joined(tags: Int, notes: Int) -> NSManagedObjectModel {
      model {
        ($0.maxCount, $1.maxCount) = (tags, notes)
        ($0.inverseRelationship, $1.inverseRelationship) = ($1, $0)
      }
    }
    func alone(tags: Int) -> NSManagedObjectModel {
      model { relationship, inverse in
        relationship.maxCount = tags
        inverse.entity.ownProperties = []
      }
    }
    func need(_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) -> [MigrationNeed] {
      ModelComparison(from: old, to: new).entities.first { $0.name == "Note" }?.properties
        .flatMap { $0.changes.map(\.migration) } ?? []
    }
    #expect(need(joined(tags: 0, notes: 0), alone(tags: 0)) == [.lightweight(.onlyOneOwnerIsKept)])
    #expect(need(joined(tags: 0, notes: 1), alone(tags: 0)) == [.lightweight])
    #expect(need(alone(tags: 1), alone(tags: 0)) == [.lightweight(.onlyOneOwnerIsKept)])
    #expect(need(alone(tags: 0), alone(tags: 1)) == [.lightweight(.onlyOneMemberIsKept)])
    #expect(
      need(joined(tags: 1, notes: 0), alone(tags: 0))
        == [.lightweight(.onlyOneOwnerIsKept), .lightweight])
    #expect(need(joined(tags: 1, notes: 1), alone(tags: 0)) == [.lightweight, .lightweight])
  }

  @Test func `With a new to-one inverse, an object stays with only one of its owners`() throws {
    /// A model with `Note.tags`, and optionally an inverse relationship of tags.
    func model(tags: Int, back: String?, _ backCount: Int = 1) -> NSManagedObjectModel {
      let (note, tag) = (NSEntityDescription(), NSEntityDescription())
      (note.name, tag.name) = ("Note", "Tag")
      let tagsOfNote = NSRelationshipDescription()
      (tagsOfNote.name, tagsOfNote.maxCount) = ("tags", tags)
      (tagsOfNote.destinationEntity, note.ownProperties) = (tag, [tagsOfNote])
      if let back {
        let notes = NSRelationshipDescription()
        (notes.name, notes.maxCount) = (back, backCount)
        (notes.destinationEntity, tag.ownProperties) = (note, [notes])
        (tagsOfNote.inverseRelationship, notes.inverseRelationship) = (notes, tagsOfNote)
      }
      let model = NSManagedObjectModel()
      model.entities = [note, tag]
      return model
    }
    func need(_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) -> [MigrationNeed] {
      ModelComparison(from: old, to: new).entities.first { $0.name == "Note" }?.properties
        .flatMap { $0.changes.map(\.migration) } ?? []
    }
    #expect(
      need(model(tags: 1, back: nil), model(tags: 1, back: "note"))
        == [.lightweight(.onlyOneOwnerIsKept)])
    #expect(
      need(model(tags: 1, back: "notes", 0), model(tags: 1, back: "note"))
        == [.lightweight(.onlyOneOwnerIsKept)])
    #expect(
      need(model(tags: 0, back: "notes", 0), model(tags: 0, back: "note"))
        == [.lightweight(.onlyOneOwnerIsKept)])
    #expect(
      need(model(tags: 0, back: nil), model(tags: 0, back: "note")) == [.lightweight])
    #expect(
      need(model(tags: 1, back: nil), model(tags: 1, back: "notes", 0)) == [.lightweight])
  }

  @Test func `A default that is filled in can violate a constraint`() throws {
    let unique = try changes { model in
      let employee = try entity("Employee", of: model)
      employee.attributesByName["salary"]?.isOptional = true
      employee.uniquenessConstraints = [["salary"]]
    }
    let required = try #require(unique.new.copy() as? NSManagedObjectModel)
    let salary = try entity("Employee", of: required).attributesByName["salary"]
    salary?.isOptional = false
    salary?.defaultValue = NSNumber(value: 7)
    #expect(
      ModelComparison(from: unique.new, to: required).migration
        == .lightweight(.uniqueDefaultIsFilledIn))
  }

  @Test func `A constraint is lightweight as long as no two rows violate it`() throws {
    let comparison = try changes { model in
      try entity("Team", of: model).uniquenessConstraints = [["title"]]
    }
    #expect(comparison.migration == .lightweight(.valuesMustBeUnique([["title"]])))
  }

  @Test func `A required derived attribute needs no default, as the store computes it`() throws {
    let comparison = try changes { model in
      let size = NSDerivedAttributeDescription()
      size.name = "size"
      size.isOptional = false
      size.attributeType = .integer64AttributeType
      size.derivationText = "members.@count"
      try entity("Team", of: model).ownProperties.append(size)
    }
    #expect(comparison.lines == ["~ Team.size added, derived Integer 64"])
    let other = try #require(comparison.new.copy() as? NSManagedObjectModel)
    let size = try entity("Team", of: other).attributesByName["size"]
    (size as? NSDerivedAttributeDescription)?.derivationText = "members.age.@max"
    #expect(
      ModelComparison(from: comparison.new, to: other).lines == [
        "~ Team.size derivation members.@count → members.age.@max"
      ])
  }

  @Test func `Elements of a composite attribute are compared like attributes`() throws {
    func model(_ elements: [NSAttributeDescription]) -> NSManagedObjectModel {
      let address = NSCompositeAttributeDescription()
      address.name = "address"
      address.elements = elements
      let person = NSEntityDescription()
      person.name = "Person"
      person.ownProperties = [address]
      let model = NSManagedObjectModel()
      model.entities = [person]
      return model
    }
    let old = model([Samples.attribute("city", .stringAttributeType)])
    let more = model([
      Samples.attribute("city", .stringAttributeType),
      Samples.attribute("zip", .stringAttributeType),
    ])
    let other = model([Samples.attribute("city", .dateAttributeType)])
    let replaced = model([
      Samples.attribute("added", .stringAttributeType),
      Samples.attribute("zip", .stringAttributeType),
    ])
    #expect(
      ModelComparison(from: old, to: more).lines == [
        "~ Person.address elements: zip added, optional String"
      ])
    #expect(
      ModelComparison(from: old, to: other).lines == [
        "! Person.address elements: city type String → Date"
      ])
    // A loss is reported even if another element changes without one.
    #expect(ModelComparison(from: more, to: replaced).migration == .lightweight(.valuesAreDeleted))
  }
}

@Suite("Comparing unusual models")
struct UnusualModelComparisonTests {
  @Test func `Unnamed entities, duplicates and cycles can be compared`() {
    func model() -> NSManagedObjectModel {
      let (nameless, one, other, round) = (
        NSEntityDescription(), NSEntityDescription(), NSEntityDescription(), NSEntityDescription()
      )
      one.name = "Twin"
      other.name = "Twin"
      other.ownProperties = [
        Samples.attribute("x", .stringAttributeType), Samples.attribute("x", .dateAttributeType),
      ]
      round.name = "Round"
      let back = NSEntityDescription()
      back.name = "Back"
      round.subentities = [back]
      back.subentities = [round]
      let model = NSManagedObjectModel()
      model.entities = [nameless, one, other, round, back]
      return model
    }
    let (old, new) = (model(), model())
    #expect(ModelComparison(from: old, to: new).lines == [])
    new.entities.last?.ownProperties = [Samples.attribute("y", .stringAttributeType)]
    #expect(
      ModelComparison(from: old, to: new).lines == ["~ Back.y added, optional String"])
  }

  @Test func `Hundreds of entities with thousands of properties are compared in a moment`() {
    func model(_ count: Int) -> NSManagedObjectModel {
      let entities = (0..<count).map { number in
        let entity = NSEntityDescription()
        entity.name = "Entity\(number)"
        entity.ownProperties = (0..<20).map {
          Samples.attribute("a\(number)_\($0)", .integer32AttributeType)
        }
        return entity
      }
      // Chains of ten entities, so that most of them inherit.
      for (number, entity) in entities.enumerated() where number % 10 < 9 {
        if number + 1 < count { entity.subentities = [entities[number + 1]] }
      }
      let model = NSManagedObjectModel()
      model.entities = entities
      return model
    }
    let (old, new) = (model(400), model(400))
    new.entities[5].ownProperties.removeLast()
    #expect(
      ModelComparison(from: old, to: new).lines == [
        "~ Entity5.a5_19 removed, was optional Integer 32"
      ])
  }
}
