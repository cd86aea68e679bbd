import CoreData
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// `coredata migrate` requires confirmation before values are removed or cut, and counts only those
/// values.
struct MigrationLossTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private static func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
    return attribute
  }

  private static func entity(
    _ name: String, _ properties: [NSPropertyDescription], below: [NSEntityDescription] = []
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    (entity.name, entity.properties, entity.subentities) = (name, properties, below)
    return entity
  }

  private static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  private func fill(
    _ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) -> Void
  ) throws -> String {
    let path = temporary.path("\(UUID().uuidString).sqlite")
    let store = try OpenedStore.create(path, model: model)
    try store.context.performAndWait {
      body(store.context)
      try store.context.save()
    }
    store.close { Issue.record("\($0)") }
    return path
  }

  private static func insert(
    _ name: String, _ values: [String: Any], _ context: NSManagedObjectContext
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    object.setValuesForKeys(values)
    return object
  }

  private func migrate(_ path: String, to model: NSManagedObjectModel) throws -> ToolRun {
    let file = temporary.path("\(UUID().uuidString).mom")
    try model.write(to: URL(fileURLWithPath: file))
    return ToolRun.coredata("migrate", path, "--to", file, "--quiet")
  }

  /// How an entity loses its inherited attribute.
  enum Parting: String, CaseIterable { case parentStays, parentGoes, otherParent, propertyMoves }

  @Test(arguments: Parting.allCases)
  func `Inherited values are removed only after confirmation`(_ parting: Parting) throws {
    typealias Model = MigrationLossTests
    let old = Model.model([
      Model.entity("Cat", []), Model.entity("Dog", [Model.attribute("barks")]),
      Model.entity("Stone", [Model.attribute("color")]),
    ])
    let animals = ["Cat", "Dog"].compactMap { old.entitiesByName[$0] }
    let animal = Model.entity("Animal", [Model.attribute("name")], below: animals)
    old.entities = [animal] + old.entities
    let path = try fill(old) { context in
      _ = Model.insert("Animal", ["name": "Amoeba"], context)
      for name in ["Rex", "Bello"] {
        _ = Model.insert("Dog", ["name": name, "barks": "loudly"], context)
      }
      _ = Model.insert("Cat", ["name": "Tom"], context)
      _ = Model.insert("Dog", ["barks": "never"], context)
    }
    let dog = Model.entity("Dog", [Model.attribute("barks")])
    let cat = Model.entity("Cat", [])
    let stone = Model.entity("Stone", [Model.attribute("color")])
    let new: NSManagedObjectModel
    let loss: String
    switch parting {
    case .parentStays:
      let parent = Model.entity("Animal", [Model.attribute("name")], below: [cat])
      new = Model.model([parent, cat, dog, stone])
      loss = "this would remove 2 values of Animal.name;"
    case .parentGoes:
      new = Model.model([cat, dog, stone])
      loss = "this would remove 1 row of Animal, 3 values of Animal.name;"
    case .otherParent:
      let parent = Model.entity("Animal", [Model.attribute("name")], below: [cat])
      let being = Model.entity("Being", [], below: [dog])
      new = Model.model([parent, cat, being, dog, stone])
      loss = "this would remove 2 values of Animal.name;"
    case .propertyMoves:
      cat.properties = [Model.attribute("name")]
      let parent = Model.entity("Animal", [], below: [cat, dog])
      new = Model.model([parent, cat, dog, stone])
      loss = "this would remove 3 values of Animal.name;"
    }
    let before = try PlainSQL(path).rows("SELECT ZNAME FROM ZANIMAL ORDER BY Z_PK")
    let run = try migrate(path, to: new)
    #expect(run.code == 64, "\(run)")
    #expect(run.errors.contains(loss), "\(run)")
    #expect(try PlainSQL(path).rows("SELECT ZNAME FROM ZANIMAL ORDER BY Z_PK") == before)
  }

  @Test(arguments: [
    (NSAttributeType.integer16AttributeType, "cut 1 value of Item.number"),
    (.integer32AttributeType, ""), (.booleanAttributeType, "cut 2 values of Item.number"),
    (.doubleAttributeType, ""),
  ])
  func `Only numbers that do not fit the new type are counted`(
    _ type: NSAttributeType, _ loss: String
  ) throws {
    let old = Self.model([Self.entity("Item", [Self.attribute("number", .integer64AttributeType)])])
    let path = try fill(old) { context in
      for number in [1, 70_000, 300] { _ = Self.insert("Item", ["number": number], context) }
      _ = Self.insert("Item", [:], context)
    }
    let new = Self.model([Self.entity("Item", [Self.attribute("number", type)])])
    let run = try migrate(path, to: new)
    #expect(run.code == (loss.isEmpty ? 0 : 64), "\(run)")
    if !loss.isEmpty { #expect(run.errors.contains("this would \(loss);"), "\(run)") }
  }

  @Test(arguments: [
    (NSAttributeType.integer64AttributeType, "cut 1 value of Item.number"),
    (.floatAttributeType, "cut 1 value of Item.number"), (.decimalAttributeType, ""),
  ])
  func `Only fractions that do not fit the new type are counted`(
    _ type: NSAttributeType, _ loss: String
  ) throws {
    let old = Self.model([Self.entity("Item", [Self.attribute("number", .doubleAttributeType)])])
    let path = try fill(old) { context in
      for number in [1, 2, 0.1] { _ = Self.insert("Item", ["number": number], context) }
    }
    let run = try migrate(
      path, to: Self.model([Self.entity("Item", [Self.attribute("number", type)])]))
    #expect(run.code == (loss.isEmpty ? 0 : 64), "\(run)")
    if !loss.isEmpty { #expect(run.errors.contains("this would \(loss);"), "\(run)") }
  }

  private static func teams(most: Int) -> NSManagedObjectModel {
    let (players, team) = (NSRelationshipDescription(), NSRelationshipDescription())
    (players.name, players.maxCount, team.name, team.maxCount) = ("players", most, "team", 1)
    let (one, other) = (entity("Team", [players]), entity("Player", [attribute("name"), team]))
    (players.destinationEntity, team.destinationEntity) = (other, one)
    (players.inverseRelationship, team.inverseRelationship) = (team, players)
    (players.isOptional, team.isOptional) = (true, true)
    return model([one, other])
  }

  @Test(arguments: [1, 3])
  func `Only relationships with more than one member are counted`(_ members: Int) throws {
    let path = try fill(Self.teams(most: 0)) { context in
      for count in [1, members, 0] {
        let team = Self.insert("Team", [:], context)
        for _ in 0..<count { _ = Self.insert("Player", ["team": team], context) }
      }
    }
    let run = try migrate(path, to: Self.teams(most: 1))
    #expect(run.code == (members == 1 ? 0 : 64), "\(run)")
    if members > 1 {
      #expect(
        run.errors.contains("this would reduce 1 value of Team.players to one object each;"),
        "\(run)")
    }
  }

  /// How an attribute that still exists loses its stored values.
  enum Leaving: String, CaseIterable { case transient, derived }

  @Test(arguments: Leaving.allCases)
  func `Values of a now transient or derived attribute are removed only after confirmation`(
    _ leaving: Leaving
  ) throws {
    typealias Model = MigrationLossTests
    let path = try fill(
      Model.model([Model.entity("Item", [Model.attribute("name"), Model.attribute("upper")])])
    ) { context in
      _ = Model.insert("Item", ["name": "a", "upper": "mine"], context)
      _ = Model.insert("Item", ["name": "b"], context)
    }
    let attribute: NSAttributeDescription
    switch leaving {
    case .transient:
      attribute = Model.attribute("upper")
      attribute.isTransient = true
    case .derived:
      let derived = NSDerivedAttributeDescription()
      derived.derivationExpression = NSExpression(format: "uppercase:(name)")
      (derived.name, derived.attributeType, derived.isOptional) = (
        "upper", .stringAttributeType, true
      )
      attribute = derived
    }
    let run = try migrate(
      path, to: Model.model([Model.entity("Item", [Model.attribute("name"), attribute])]))
    #expect(run.code == 64, "\(run)")
    #expect(run.errors.contains("this would remove 1 value of Item.upper;"), "\(run)")
  }

  @Test func `The order of members is removed only after confirmation`() throws {
    typealias Model = MigrationLossTests
    func model(isOrdered: Bool) -> NSManagedObjectModel {
      let (box, item) = (Model.entity("Box", []), Model.entity("Item", []))
      let (items, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
      (items.name, items.destinationEntity, items.maxCount) = ("items", item, 0)
      (owner.name, owner.destinationEntity, owner.maxCount) = ("box", box, 1)
      (items.isOptional, owner.isOptional, items.isOrdered) = (true, true, isOrdered)
      (items.inverseRelationship, owner.inverseRelationship) = (owner, items)
      (box.properties, item.properties) = ([items], [owner])
      return Model.model([box, item])
    }
    let path = try fill(model(isOrdered: true)) { context in
      for count in [3, 1] {
        let items = (0..<count).map { _ in Model.insert("Item", [:], context) }
        _ = Model.insert("Box", ["items": NSOrderedSet(array: items)], context)
      }
    }
    let run = try migrate(path, to: model(isOrdered: false))
    #expect(run.code == 64, "\(run)")
    #expect(run.errors.contains("this would remove 3 positions of Box.items;"), "\(run)")
  }
}
