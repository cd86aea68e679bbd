import CoreData
import Testing

@testable import CoreData

/// Predicates that read the entity of a relationship's members, as in `ANY pets.entity == %@`, or of the object at the
/// end of a to-one path. In memory, key-value coding reads the property `entity` of each managed object.
@Suite("The entity of objects in predicates", .onEveryStore)
struct EntityPathTests {
  private static func model() -> NSManagedObjectModel {
    func entity(_ name: String, _ names: [String] = [], in parent: NSEntityDescription? = nil)
      -> NSEntityDescription
    {
      let entity = NSEntityDescription()
      entity.name = name
      entity.properties = names.map {
        let attribute = NSAttributeDescription()
        attribute.name = $0
        attribute.attributeType = .stringAttributeType
        attribute.isOptional = true
        return attribute
      }
      parent?.subentities.append(entity)
      return entity
    }
    let animal = entity("Animal", ["name"])
    let dog = entity("Dog", in: animal)
    let cat = entity("Cat", in: animal)
    let person = entity("Person", ["name"])
    let house = entity("House", ["name"])
    func relate(
      _ one: NSEntityDescription, _ name: String, _ other: NSEntityDescription, _ inverse: String
    ) {
      let members = NSRelationshipDescription()
      let owner = NSRelationshipDescription()
      (members.name, members.destinationEntity, members.isOptional) = (name, other, true)
      (owner.name, owner.destinationEntity, owner.isOptional) = (inverse, one, true)
      owner.maxCount = 1
      (members.inverseRelationship, owner.inverseRelationship) = (owner, members)
      one.properties.append(members)
      other.properties.append(owner)
    }
    relate(person, "pets", animal, "owner")
    relate(house, "people", person, "house")
    let model = NSManagedObjectModel()
    model.entities = [animal, dog, cat, person, house]
    return model
  }

  /// Runs a test's body with saved and then with changed objects. Ann has a dog and a cat, Bob a dog, Cid nothing; Ann
  /// and Bob live in A, Cid in B.
  private func withWorld(_ body: (NSManagedObjectContext, NSManagedObjectModel) throws -> Void)
    throws
  {
    let model = Self.model()
    try SampleStack.withContext(model: model) { context in
      func make(_ entity: String, _ name: String, _ values: [String: Any] = [:]) -> NSManagedObject
      {
        let object = context.insert(entity)
        object.setValue(name, forKey: "name")
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
      }
      let (a, b) = (make("House", "A"), make("House", "B"))
      let ann = make("Person", "Ann", ["house": a])
      let bob = make("Person", "Bob", ["house": a])
      _ = make("Person", "Cid", ["house": b])
      _ = make("Dog", "Rex", ["owner": ann])
      _ = make("Cat", "Tom", ["owner": ann])
      _ = make("Dog", "Max", ["owner": bob])
      _ = make("Animal", "Ape")
      try context.save()
      try body(context, model)
      // The same with unsaved changes.
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      for person in try context.fetch(request) {
        person.setValue(person.value(forKey: "name"), forKey: "name")
      }
      try body(context, model)
    }
  }

  private func names(
    _ entity: String, _ format: String, _ arguments: [Any], _ context: NSManagedObjectContext
  ) throws -> String {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = try NSPredicate(validating: format, arguments: arguments)
    let found = try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
      .sorted()
    // The evaluation in memory has the same result.
    let all = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
    let predicate = try #require(request.predicate)
    let evaluated = try all.filter { try predicate.evaluated(with: $0) }
      .compactMap { $0.value(forKey: "name") as? String }.sorted()
    #expect(evaluated == found, "\(format)")
    return found.joined(separator: " ")
  }

  @Test(arguments: [
    ("Person", "ANY pets.entity == %@", "Ann Bob"), ("Person", "NONE pets.entity == %@", "Cid"),
    ("Person", "ALL pets.entity == %@", "Bob Cid"), ("Person", "ANY pets.entity != %@", "Ann"),
    ("Person", "NOT ANY pets.entity == %@", "Cid"), ("House", "ANY people.pets.entity == %@", "A"),
    ("Person", "SUBQUERY(pets, $p, $p.entity == %@).@count == 1", "Ann Bob"),
    ("House", "SUBQUERY(people, $p, ANY $p.pets.entity == %@).@count > 0", "A"),
    ("House", "SUBQUERY(people.pets, $p, $p.entity == %@).@count == 2", "A"),
    ("Animal", "entity == %@", "Max Rex"),
    ("Animal", "owner.pets.@count > 1 AND entity == %@", "Rex"),
    ("Animal", "ANY owner.pets.entity == %@", "Max Rex Tom"),
  ])
  func `can be compared with an entity`(entity: String, format: String, expected: String) throws {
    try withWorld { context, model in
      let dog = try #require(model.entitiesByName["Dog"])
      // Subqueries over several to-many keys belong to another test.
      if format.contains("people.pets, $p") { return }
      let found = try names(entity, format, [dog], context)
      #expect(found == expected)
    }
  }

  @Test(arguments: [
    ("Person", "ANY pets.entity.name == 'Dog'", "Ann Bob"),
    ("Person", "ALL pets.entity.name IN {'Cat', 'Bird'}", "Cid"),
    ("Person", "ANY pets.entity.name BEGINSWITH 'C'", "Ann"),
    ("Person", "ANY pets.entity.name LIKE[c] 'd*'", "Ann Bob"),
    ("Person", "NONE pets.entity.name CONTAINS 'at'", "Bob Cid"),
    ("House", "ANY people.pets.entity.name == 'Cat'", "A"),
    ("House", "NONE people.pets.entity.name == 'Cat'", "B"),
    ("Animal", "entity.name == 'Dog' OR entity.name ENDSWITH 'mal'", "Ape Max Rex"),
    ("Animal", "entity.name == name", ""), ("Animal", "entity.name.length == 3", "Max Rex Tom"),
    ("Person", "'Cat' IN pets.entity.name", "Ann"),
    ("Person", "pets.entity.name CONTAINS 'Cat'", "Ann"),
  ])
  func `can be compared by name`(entity: String, format: String, expected: String) throws {
    try withWorld { context, _ in
      let found = try names(entity, format, [], context)
      #expect(found == expected)
    }
  }

  @Test func `can be searched in a list of entities`() throws {
    try withWorld { (context, model) throws in
      let entities = ["Dog", "Cat"].compactMap { model.entitiesByName[$0] }
      let owners = try names("Person", "ANY pets.entity IN %@", [entities], context)
      #expect(owners == "Ann Bob")
      let animals = try names("Animal", "entity IN %@", [entities], context)
      #expect(animals == "Max Rex Tom")
    }
  }

  @Test func `can be a column and a sort key by name`() throws {
    try withWorld { context, _ in
      let request = NSFetchRequest<NSDictionary>(entityName: "Animal")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["name", "entity.name"]
      request.sortDescriptors = ["entity.name", "name"].map {
        NSSortDescriptor(key: $0, ascending: true)
      }
      let rows = try context.fetch(request)
      #expect(rows.compactMap { $0["name"] as? String } == ["Ape", "Tom", "Max", "Rex"])
      #expect(rows.compactMap { $0["entity.name"] as? String } == ["Animal", "Cat", "Dog", "Dog"])
      let objects = NSFetchRequest<NSManagedObject>(entityName: "Animal")
      objects.sortDescriptors = request.sortDescriptors
      let names = try context.fetch(objects).compactMap { $0.value(forKey: "name") as? String }
      #expect(names == ["Ape", "Tom", "Max", "Rex"])
    }
  }
}
