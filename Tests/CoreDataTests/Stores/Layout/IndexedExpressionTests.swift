import CoreData
import FixtureSupport
import Testing

/// Source: Apple's pages "NSFetchIndexElementDescription" and "init(property:collationType:)". An
/// element is a property or an expression description.
@Suite("Fetch indexes over expressions", .only([.sqlite], "only SQLite stores have indexes"))
struct IndexedExpressionTests {
  private static func element(_ format: String) -> NSFetchIndexElementDescription {
    let computed = NSExpressionDescription()
    computed.name = "computed"
    computed.expression = NSExpression(format: format)
    computed.expressionResultType = .stringAttributeType
    return NSFetchIndexElementDescription(property: computed, collationType: .binary)
  }

  private static func model(_ formats: [String], entity: String = "Player") -> NSManagedObjectModel
  {
    let model = SampleStack.makeModel()
    model.entitiesByName[entity]?.indexes = formats.enumerated().map {
      NSFetchIndexDescription(name: "by\($0)", elements: [element($1)])
    }
    return model
  }

  private func indexes(_ stack: SampleStack) throws -> [String] {
    let url = try #require(stack.coordinator.persistentStores[0].url)
    return try PlainDatabase(url).values(
      "SELECT sql FROM sqlite_master WHERE name GLOB 'Z_Player_by*' ORDER BY name"
    ).compactMap(\.first?.text)
  }

  private func plan(
    _ format: String, _ context: NSManagedObjectContext
  ) throws -> FetchExplanation {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.predicate = NSPredicate(format: format)
    return try #require(try context.explain(request).first)
  }

  @Test("Expressions that SQLite itself can compute are indexed")
  func made() throws {
    let stack = try SampleStack(
      model: Self.model([
        "lowercase:(name)", "uppercase(name)", "age + number", "number * 2", "name",
        "uppercase:(lowercase:(name))",
      ]))
    #expect(
      try indexes(stack) == [
        "CREATE INDEX Z_Player_by0 ON ZPLAYER (lower(ZNAME) COLLATE BINARY ASC)",
        "CREATE INDEX Z_Player_by1 ON ZPLAYER (upper(ZNAME) COLLATE BINARY ASC)",
        "CREATE INDEX Z_Player_by2 ON ZPLAYER ((ZAGE + ZNUMBER) COLLATE BINARY ASC)",
        "CREATE INDEX Z_Player_by3 ON ZPLAYER ((ZNUMBER * 2) COLLATE BINARY ASC)",
        "CREATE INDEX Z_Player_by4 ON ZPLAYER (ZNAME COLLATE BINARY ASC)",
        "CREATE INDEX Z_Player_by5 ON ZPLAYER (upper(lower(ZNAME)) COLLATE BINARY ASC)",
      ])
  }

  @Test(
    "Expressions that SQLite cannot compute are not indexed, and the store works without an index")
  func leftOut() throws {
    for format in [
      "canonical:(name)", "length:(name)", "team.name", "tags.@count", "sqrt:(score)",
      "TERNARY(age > 3, 'a', 'b')",
    ] {
      let stack = try SampleStack(model: Self.model([format]))
      #expect(try indexes(stack) == [], "\(format)")
      try stack.context.performAndWait {
        stack.context.insert("Player", ["name": "Ann", "age": 4])
        try stack.context.save()
        #expect(try stack.context.all("Player", "canonical:(name) == 'ann'").count == 1)
      }
    }
    let error = #expect(throws: NSError.self) {
      _ = try SampleStack(model: Self.model(["lowercase:(missing)"]))
    }
    #expect(error?.localizedDescription.contains("Player.by0") == true)
  }

  @Test(
    "Equality, lists and prefixes are found with the index",
    arguments: [
      ("lowercase:(name) == 'anna'", "Z_Player_by0"),
      ("'élan' == lowercase:(name)", "Z_Player_by0"),
      ("lowercase:(name) IN {'anna', 'zoë'}", "Z_Player_by0"),
      ("lowercase:(name) BEGINSWITH 'an'", "Z_Player_by0"),
      ("lowercase:(name) == 'anna' AND age > 3", "Z_Player_by0"),
      ("uppercase:(name) == 'STRASSE'", "Z_Player_by1"), ("age + number == 12", "Z_Player_by2"),
      ("number * 2 BETWEEN {4, 8}", "Z_Player_by3"), ("number * 2 > 8", "Z_Player_by3"),
    ])
  func used(_ format: String, _ index: String) throws {
    let stack = try SampleStack(
      model: Self.model([
        "lowercase:(name)", "uppercase:(name)", "age + number", "number * 2",
      ]))
    try stack.context.performAndWait {
      let explanation = try plan(format, stack.context)
      #expect(Set(explanation.indexes) == [index], "\(explanation.plan)")
      #expect(explanation.scans == [], "\(explanation.plan)")
    }
  }

  @Test(
    "Results with an index equal those without, for many alphabets and for similar letters")
  func agreement() throws {
    let names = [
      "Anna", "ANNA", "anna", "Élan", "élan", "ÉLAN", "Elan", "e\u{301}lan", "\u{212A}elvin",
      "kelvin",
      "KELVIN", "Straße", "STRASSE", "strasse", "\u{17F}traSSe", "İstanbul", "i̇stanbul", "istanbul",
      "ISTANBUL", "ıstanbul", "Σίσυφος", "σίσυφοσ", "ΣΊΣΥΦΟΣ", "ﬁsh", "FISH", "fish", "Ǆ", "ǅ", "ǆ",
      "\u{10400}\u{10428}", "\u{1E9E}", "", " ", "a\u{0}b", "日本", "ΑΒΓ", "ŉ", "ΐ",
    ]
    let plain = try SampleStack()
    let indexed = try SampleStack(model: Self.model(["lowercase:(name)", "uppercase:(name)"]))
    for stack in [plain, indexed] {
      try stack.context.performAndWait {
        for name in names + [nil] { stack.context.insert("Player", ["name": name]) }
        try stack.context.save()
        stack.context.reset()
      }
    }
    func found(_ predicate: NSPredicate, _ stack: SampleStack) throws -> [String?] {
      try stack.reading { context in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = predicate
        return try context.fetch(request).map { $0["name"] }
      }
    }
    var hits = 0
    for name in names {
      for function in ["lowercase:", "uppercase:"] {
        let texts = [name, name.lowercased(), name.uppercased()]
        for text in texts + texts.map({ String($0.unicodeScalars.prefix(1)) }) {
          for format in ["\(function)(name) == %@", "\(function)(name) BEGINSWITH %@"] {
            let predicate = NSPredicate(format: format, text)
            let wanted = try found(predicate, plain)
            #expect(try found(predicate, indexed) == wanted, "\(predicate)")
            hits += wanted.count
          }
          let list = NSPredicate(format: "NOT \(function)(name) IN %@", [text, "anna", "Ä"])
          #expect(try found(list, indexed) == (try found(list, plain)))
        }
      }
    }
    #expect(hits > 500)
  }

  @Test("Migrations add and remove indexes, and saves keep the indexes up to date")
  func migrated() throws {
    let stack = try SampleStack()
    let url = try #require(stack.coordinator.persistentStores[0].url)
    try stack.context.performAndWait {
      for name in ["Ann", "BOB"] { stack.context.insert("Player", ["name": name]) }
      try stack.context.save()
    }
    try stack.coordinator.remove(stack.coordinator.persistentStores[0])
    for formats in [["lowercase:(name)"], ["uppercase:(name)"], [], ["lowercase:(name)"]] {
      let model = Self.model(formats)
      // Indexes are not part of version hashes.
      model.entitiesByName["Player"]?.versionHashModifier = "\(formats)"
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ])
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait {
        let found = try context.all("Player", "lowercase:(name) == 'bob'")
        #expect(found.count == 1)
        found.first?.setValue(found.first?["name"] == "BOB" ? "Bob" : "BOB", forKey: "name")
        try context.save()
        #expect(try context.all("Player", "uppercase:(name) == 'BOB'").count == 1)
      }
      let database = try PlainDatabase(url)
      #expect(
        try database.values(
          "SELECT COUNT(*) FROM sqlite_master WHERE name = 'Z_Player_by0'") == [
            [.integer(Int64(formats.count))]
          ])
      #expect(try database.values("PRAGMA integrity_check") == [[.text("ok")]])
      try coordinator.remove(store)
    }
  }
}
