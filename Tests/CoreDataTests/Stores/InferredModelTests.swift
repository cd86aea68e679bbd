import CoreData
import Testing

/// Models that are inferred from the tables of stores without a copy of their model.
@Suite struct InferredModelTests {
  private static var readOnly: [AnyHashable: Any] {
    [NSReadOnlyPersistentStoreOption: true, NSIgnorePersistentStoreVersioningOption: true]
  }

  /// Makes a store without a copy of its model, and passes its inferred model and a context to a body.
  private func reading(
    _ model: NSManagedObjectModel,
    changedBy sql: String = "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL",
    filledBy fill: (NSManagedObjectContext) throws -> Void,
    _ body: (NSManagedObjectModel, NSManagedObjectContext) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let made = try OpenStore(url, model)
    try made.context.performAndWait {
      try fill(made.context)
      try made.context.save()
    }
    try made.close()
    try PlainDatabase(url).execute(sql)
    let inferred = try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
    try inferred.validate()
    let opened = try OpenStore(url, inferred, options: Self.readOnly)
    try opened.context.performAndWait { try body(inferred, opened.context) }
    try opened.close()
  }

  @Test(
    arguments: [
      "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL",
      "UPDATE Z_MODELCACHE SET Z_CONTENT = SUBSTR(Z_CONTENT, 1, LENGTH(Z_CONTENT) * 19 / 20)",
    ])
  func `Attributes with names of members of managed objects are read`(_ damage: String) throws {
    let source = SampleStore.model()
    let names = ["hash", "zone", "copy", "class", "isDeleted", "objectID"]
    source.entitiesByName["Club"]?.properties += names.map {
      SampleStack.attribute($0, .stringAttributeType)
    }
    // Apple's compiler accepts such names.
    let model = try NSManagedObjectModel(storeModelCache: try source.storeModelCache())
    try reading(model, changedBy: damage) { context in
      context.insert("Club", ["name": "Harbour"])
    } _: { inferred, context in
      let club = try #require(inferred.entitiesByName["Club"])
      let found = Set(club.attributesByName.keys.map { $0.lowercased() })
      #expect(found.isSuperset(of: names.map { $0.lowercased() }))
      #expect(try context.all("Club").map { $0["name"] } == ["Harbour"])
    }
  }

  @Test func `A relationship that shares its name with a sibling's attribute is read`() throws {
    let model = ModelText.model(
      """
      Base: name string
      One < Base: tags string
      Tag: label string; twos ->> Two.tags
      Two < Base: age i16; tags ->> Tag.twos
      """)
    try reading(model) { context in
      context.insert("One", ["name": "a", "tags": "x y"])
      let tags = ["b", "c"].map { context.insert("Tag", ["label": $0]) }
      context.insert("Two", ["name": "d", "tags": NSSet(array: tags)])
    } _: { inferred, context in
      let base = try #require(inferred.entitiesByName["Base"])
      #expect(base.attributesByName["tags"] != nil)
      let values = try context.all("Base", sort: ["name"]).map { $0["tags"] as String? }
      #expect(values == ["x y", nil])
      // Names in another case belong to the same table.
      let two = try #require(try context.all("Two").first)
      #expect((two["TAGS"] as Set<NSManagedObject>?)?.count == 2)
    }
  }

  @Test func `Properties and entities whose names begin with an underscore are read`() throws {
    let model = ModelText.model(
      """
      _Owner: _name string; things ->> Thing._owner
      Thing: _size i16; _owner -> _Owner.things
      """)
    for more in ["", "; DROP TABLE Z_PRIMARYKEY"] {
      try reading(model, changedBy: "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL\(more)") { context in
        let owner = context.insert("_Owner", ["_name": "Ann"])
        context.insert("Thing", ["_size": 3, "_owner": owner])
      } _: { inferred, context in
        let thing = try #require(try context.all("Thing").first)
        #expect(thing["_size"] == 3)
        let owner = try #require(inferred.entities.first { $0.name?.hasPrefix("_") == true })
        #expect(try context.all(owner.name ?? "").map { $0["_name"] } == ["Ann"])
        let destination = thing.entity.relationshipsByName["_owner"]?.destinationEntity
        #expect(destination == nil || destination === owner)
      }
    }
  }

  @Test(
    arguments: [
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Club'", "UPDATE Z_PRIMARYKEY SET Z_NAME = ''",
      "CREATE TABLE Z (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
      "ALTER TABLE ZCLUB ADD COLUMN Z VARCHAR; ALTER TABLE ZCLUB ADD COLUMN Z1 INTEGER",
      "ALTER TABLE ZCLUB ADD COLUMN ZÄ VARCHAR; ALTER TABLE ZCLUB ADD COLUMN Zä VARCHAR",
      "CREATE TABLE Z_1 (Z_1 INTEGER, Z_2 INTEGER)",
      "CREATE TABLE Z_1A (Z_1NAME INTEGER, Z_1A INTEGER)",
    ])
  func `Names that repeat or are empty do not prevent reading`(_ damage: String) throws {
    try reading(
      SampleStore.model(), changedBy: "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL; \(damage)"
    ) { context in
      context.insert("Club", ["name": "Harbour"])
    } _: { (_, context) throws in
      #expect(try context.all("Club").map { $0["name"] } == ["Harbour"])
    }
  }
}
