import CoreData
import FixtureSupport
import Testing

/// Each kind of fetch index: its statements, its maintenance by changes, and its use in query plans. The statements
/// are those in stores that Apple's Core Data wrote.
@Suite("Fetch indexes", .only([.sqlite], "only SQLite stores have indexes"))
struct FetchIndexTests {
  private func element(
    _ name: String, _ type: NSFetchIndexElementType = .binary, isAscending: Bool = true
  ) -> NSFetchIndexElementDescription {
    let element = NSFetchIndexElementDescription(propertyName: name, collationType: type)
    element.isAscending = isAscending
    return element
  }

  private func model(
    _ elements: [NSFetchIndexElementDescription], where condition: String? = nil,
    entity: String = "Player"
  ) -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let index = NSFetchIndexDescription(name: "byIt", elements: elements)
    index.partialPredicateFormat = condition
    model.entitiesByName[entity]?.indexes = [index]
    return model
  }

  private func statements(_ model: NSManagedObjectModel) throws -> [String] {
    let stack = try SampleStack(model: model)
    let url = try #require(stack.coordinator.persistentStores[0].url)
    return try PlainDatabase(url).values(
      "SELECT sql FROM sqlite_master WHERE name LIKE 'Z#_%#_byIt%' ESCAPE '#' ORDER BY name"
    ).compactMap(\.first?.text)
  }

  @Test("Columns of attributes, to-one relationships and the object are indexed in both orders")
  func columns() throws {
    let expected: [([NSFetchIndexElementDescription], String)] = [
      ([element("name")], "ON ZPLAYER (ZNAME COLLATE BINARY ASC)"),
      (
        [element("name", isAscending: false), element("age")],
        "ON ZPLAYER (ZNAME COLLATE BINARY DESC, ZAGE COLLATE BINARY ASC)"
      ),
      (
        [element("team"), element("name")],
        "ON ZPLAYER (ZTEAM COLLATE BINARY ASC, ZNAME COLLATE BINARY ASC)"
      ),
      (
        [element("entity"), element("self")],
        "ON ZPLAYER (Z_ENT COLLATE BINARY ASC, Z_PK COLLATE BINARY ASC)"
      ),
    ]
    for (elements, text) in expected {
      #expect(try statements(model(elements)) == ["CREATE INDEX Z_Player_byIt \(text)"])
    }
    // The column of a to-one relationship always has an index, so this one is not created.
    #expect(try statements(model([element("team")])) == [])
    // A subentity's index is on the shared table.
    #expect(
      try statements(model([element("since")], entity: "Captain"))
        == ["CREATE INDEX Z_Captain_byIt ON ZPLAYER (ZSINCE COLLATE BINARY ASC)"])
  }

  @Test("The statement of a partial index selects the rows of its condition, without parameters")
  func partial() throws {
    let expected: [(condition: String, names: [String])] = [
      ("age > 20", ["Cid", "O'Hara?"]), ("name == \"O'Hara?\"", ["O'Hara?"]),
      ("isActive == YES AND score != nil", ["O'Hara?"]), ("team == nil", ["O'Hara?"]),
      ("age BETWEEN {1, 5}", ["Bob"]),
    ]
    for (condition, names) in expected {
      let stack = try SampleStack(model: model([element("name")], where: condition))
      try stack.context.performAndWait {
        let team = stack.context.insert("Team")
        stack.context.insert(
          "Player", ["name": "O'Hara?", "age": 30, "score": 1.5, "isActive": true])
        stack.context.insert("Player", ["name": "Bob", "age": 3, "isActive": false, "team": team])
        stack.context.insert("Player", ["name": "Cid", "age": 25, "isActive": true, "team": team])
        try stack.context.save()
      }
      let url = try #require(stack.coordinator.persistentStores[0].url)
      let database = try PlainDatabase(url)
      let found = try database.values(
        "SELECT sql FROM sqlite_schema WHERE name = 'Z_Player_byIt'"
      ).compactMap(\.first?.text)
      let beginning = "CREATE INDEX Z_Player_byIt ON ZPLAYER (ZNAME COLLATE BINARY ASC) WHERE "
      try #require(found.count == 1 && found[0].hasPrefix(beginning), "\(found)")
      // Without the constants, the condition would have parameters, which are NULL here and select no row.
      let rows = try database.values(
        "SELECT ZNAME FROM ZPLAYER WHERE \(found[0].dropFirst(beginning.count)) ORDER BY ZNAME")
      #expect(rows.compactMap(\.first?.text) == names, "\(found)")
    }
  }

  @Test("A condition that SQLite cannot evaluate on one row throws an error with the index")
  func impossible() throws {
    for condition in [
      "name LIKE[c] 'a*'", "name MATCHES '.*'", "uppercase:(name) == 'A'", "team.name == 'x'",
      "ANY tags.label == 'x'", "tags.@count > 1", "name CONTAINS[cd] 'é'",
    ] {
      let error = #expect(throws: NSError.self) {
        _ = try SampleStack(model: model([element("name")], where: condition))
      }
      #expect(error?.code == NSPersistentStoreIncompatibleSchemaError, "\(condition)")
      #expect(error?.localizedDescription.contains("Player.byIt") == true, "\(condition)")
    }
    #expect(throws: NSError.self) {
      _ = try SampleStack(model: model([element("nobody")]))
    }
  }

  /// SQLite ignores the case of names, and its page "The SQLite R*Tree Module" limits R-trees to five dimensions.
  @Test("An index that SQLite cannot contain is omitted, and the model check warns of it")
  func omitted() throws {
    func sum() -> NSFetchIndexElementDescription {
      let sum = NSExpressionDescription()
      sum.name = "sum"
      sum.expression = NSExpression(format: "age + number")
      return NSFetchIndexElementDescription(property: sum, collationType: .rTree)
    }
    let keys = (0..<6).map { "x\($0)" }
    let cases: [([String: [NSFetchIndexElementDescription]], ModelProblem.Kind?, Int)] = [
      (["byIt": [element("name")], "BYIT": [element("age")]], .repeatedIndex, 1),
      (["byIt": [element("score", .rTree)], "BYIT": [element("age", .rTree)]], .repeatedIndex, 1),
      (["byIt": keys.map { element($0, .rTree) }], .uselessIndex, 0),
      (["byIt": [sum()]], .uselessIndex, 0),
      (["byIt": [element("score", .rTree), sum()]], .uselessIndex, 0),
      (["byIt": [element("score", .rTree), element("score", .rTree)]], .uselessIndex, 0),
      (["byIt": keys.prefix(5).map { element($0, .rTree) }], nil, 1),
    ]
    for (indexes, kind, count) in cases {
      let model = SampleStack.makeModel()
      let player = try #require(model.entitiesByName["Player"])
      player.properties += keys.map { SampleStack.attribute($0, .doubleAttributeType) }
      player.indexes = indexes.map { NSFetchIndexDescription(name: $0, elements: $1) }
      let kinds = model.problems.map(\.kind).filter {
        [.repeatedIndex, .uselessIndex].contains($0)
      }
      #expect(kinds == [kind].compactMap(\.self))
      let stack = try SampleStack(model: model)
      let url = try #require(stack.coordinator.persistentStores[0].url)
      let created = try PlainDatabase(url).values(
        "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE INDEX Z#_Player#_byIt %' ESCAPE '#'"
          + " OR sql LIKE 'CREATE VIRTUAL TABLE Z#_RT#_Player#_byIt %' ESCAPE '#'")
      #expect(created.count == count, "\(indexes)")
      try stack.context.performAndWait {
        stack.context.insert("Player", ["name": "Ann", "age": 1, "score": 1, "x0": 1])
        try stack.context.save()
        stack.context.reset()
        for name in indexes.keys {
          #expect(try stack.context.all("Player", "indexed:by:(score, '\(name)') > 0").count == 1)
          #expect(try stack.context.all("Player", "indexed:by:(x0, '\(name)') > 0").count == 1)
        }
      }
    }
  }

  @Test("Two subentities whose names differ only in case may have indexes with the same name")
  func similarEntities() throws {
    let model = model([element("since")], entity: "Captain")
    let twin = NSEntityDescription()
    twin.name = "CAPTAIN"
    twin.properties = [SampleStack.attribute("rank", .stringAttributeType)]
    twin.indexes = [NSFetchIndexDescription(name: "byIt", elements: [element("rank")])]
    model.entitiesByName["Player"]?.subentities.append(twin)
    model.entities.append(twin)
    #expect(try statements(model).count == 1)
  }

  @Test("Each uniqueness constraint has one index, even if other indexes have similar names")
  func uniqueIndexes() throws {
    let model = model([element("age")])
    let player = try #require(model.entitiesByName["Player"])
    player.properties += ["a", "b", "a_b"].map { SampleStack.attribute($0, .stringAttributeType) }
    player.indexes.append(NSFetchIndexDescription(name: "UNIQUE_a", elements: [element("b")]))
    player.uniquenessConstraints = [["a"], ["a"], ["a_b"], ["a", "b"]]
    let stack = try SampleStack(model: model)
    let url = try #require(stack.coordinator.persistentStores[0].url)
    let unique = try PlainDatabase(url).values(
      "SELECT sql FROM sqlite_schema WHERE sql LIKE 'CREATE UNIQUE INDEX %' ORDER BY rowid"
    ).compactMap(\.first?.text)
    #expect(
      unique == [
        "CREATE UNIQUE INDEX Z_Player_UNIQUE_a_2 ON ZPLAYER (ZA COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Player_UNIQUE_a_b ON ZPLAYER (ZA_B COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Player_UNIQUE_a_b_2 ON ZPLAYER (ZA COLLATE BINARY ASC, ZB COLLATE"
          + " BINARY ASC)",
      ])
  }

  @Test("Inserts, changes and deletions maintain each index, and fetches and query plans use it")
  func kept() throws {
    let plain = "name BEGINSWITH 'n1' AND age > 20"
    let models = [
      (model([element("name", isAscending: false), element("age")]), plain),
      (model([element("name")], where: "age > 20"), plain),
      (
        model([element("score", .rTree), element("age", .rTree)]),
        "indexed:by:(score, 'byIt') BETWEEN {2, 9} AND indexed:by:(age, 'byIt') BETWEEN {5, 30}"
      ),
    ]
    for (model, condition) in models {
      let stack = try SampleStack(model: model)
      let url = try #require(stack.coordinator.persistentStores[0].url)
      let context = stack.context
      var generator = SeededGenerator("fetch indexes")
      try context.performAndWait {
        var players: [NSManagedObject] = []
        for round in 0..<6 {
          for _ in 0..<20 {
            players.append(
              context.insert(
                "Player",
                [
                  "name": "n\(Int.random(in: 0..<30, using: &generator))",
                  "age": Int.random(in: 0..<40, using: &generator),
                  "score": Double(Int.random(in: 0..<100, using: &generator)) / 4,
                ]))
          }
          for player in players where Int.random(in: 0..<3, using: &generator) == 0 {
            player.setValue(Int.random(in: 0..<40, using: &generator), forKey: "age")
            if round % 2 == 0 { player.setValue(nil, forKey: "score") }
          }
          for _ in 0..<5 {
            context.delete(players.remove(at: Int.random(in: 0..<players.count, using: &generator)))
          }
          try context.save()
        }
        try context.batchUpdate("Player", "age < 10", ["score": 2.25])
        try context.batchDelete("Player", "age == 11")
        context.reset()
        // The filter in memory reads no index.
        let filter = try NSPredicate(validating: condition)
        let expected = try context.all("Player").filter { filter.evaluate(with: $0) }
        let fetched = try context.all("Player", condition)
        #expect(Set(fetched) == Set(expected) && !expected.isEmpty)
      }
      let database = try PlainDatabase(url)
      #expect(try database.values("PRAGMA integrity_check") == [[.text("ok")]])
      if try !database.values("SELECT 1 FROM sqlite_master WHERE name = 'Z_RT_Player_byIt'").isEmpty
      {
        #expect(
          try database.values(
            "SELECT Z_PK, ZSCORE_MIN, ZSCORE_MAX, ZAGE_MIN, ZAGE_MAX FROM Z_RT_Player_byIt"
              + " ORDER BY Z_PK")
            == (try database.values(
              "SELECT Z_PK, CAST(IFNULL(ZSCORE, 0) AS REAL), CAST(IFNULL(ZSCORE, 0) AS REAL),"
                + " CAST(ZAGE AS REAL), CAST(ZAGE AS REAL) FROM ZPLAYER ORDER BY Z_PK")))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = try NSPredicate(validating: condition)
        let found = try context.performAndWait { try context.explain(request).first }
        let explanation = try #require(found)
        #expect(explanation.sql.contains("Z_RT_Player_byIt"), "\(explanation.sql)")
        #expect("\(explanation.plan)".contains("VIRTUAL TABLE INDEX"), "\(explanation.plan)")
      } else {
        let plan = try database.values(
          "EXPLAIN QUERY PLAN SELECT ZAGE FROM ZPLAYER WHERE ZNAME = 'n1' AND ZAGE > 20")
        #expect(plan.contains { $0.contains { $0.text?.contains("Z_Player_byIt") == true } })
      }
    }
  }

  @Test("Names of indexes and properties may contain any characters")
  func quotedNames() throws {
    for name in ["by place", "O'Hara", "a \"b\" ON c", "x]y`z", "Größe"] {
      let model = SampleStack.makeModel()
      let player = try #require(model.entitiesByName["Player"])
      player.properties += [
        SampleStack.attribute("my score", .doubleAttributeType),
        SampleStack.attribute("objectid", .integer64AttributeType),
      ]
      let derived = NSDerivedAttributeDescription()
      derived.name = "team name"
      derived.attributeType = .stringAttributeType
      derived.derivationExpression = NSExpression(forKeyPath: "team.name")
      player.properties.append(derived)
      player.indexes = [
        NSFetchIndexDescription(name: "tree \(name)", elements: [element("my score", .rTree)]),
        NSFetchIndexDescription(name: name, elements: [element("objectid")]),
      ]
      let stack = try SampleStack(model: model)
      let url = try #require(stack.coordinator.persistentStores[0].url)
      try stack.context.performAndWait {
        let team = stack.context.insert("Team", ["name": "Red"])
        let one = stack.context.insert("Player", ["my score": 1.5, "objectid": 7, "team": team])
        stack.context.insert("Player", ["my score": 2.5])
        try stack.context.save()
        one.setValue(3.5, forKey: "my score")
        try stack.context.save()
        stack.context.reset()
        let high = try stack.context.all("Player", "my\\ score > 3")
        #expect(high.map { $0.value(forKey: "team name") as? String } == ["Red"])
      }
      let database = try PlainDatabase(url)
      #expect(
        try database.values(
          "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%OBJECTID%'"
        ).compactMap { $0[0].text?.hasSuffix("ON ZPLAYER (ZOBJECTID COLLATE BINARY ASC)") }
          == [true])
      let tree = "Z_RT_Player_tree \(name)".replacing("\"", with: "\"\"")
      #expect(
        try database.values("SELECT \"ZMY SCORE_MIN\" FROM \"\(tree)\" ORDER BY 1")
          == [[.real(2.5)], [.real(3.5)]])
      // Opening the store again recognizes the tree, so that its triggers may run.
      let again = try SampleStack(url: url, model: model)
      try again.context.performAndWait {
        again.context.insert("Player", ["my score": 4.5])
        try again.context.save()
      }
      #expect(try database.values("SELECT COUNT(*) FROM \"\(tree)\"") == [[.integer(3)]])
      for coordinator in [stack.coordinator, again.coordinator] {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
      }
      #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings == [])
    }
  }

  /// Source: stores written on iOS 9 and 10, whose tables contain the uniqueness constraints.
  @Test(
    "A violated uniqueness constraint of an old store's table is reported as a constraint conflict",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func oldConstraint() throws {
    let fixture = try #require(StoreFixture.named("MigrationsTests/Moody.moody"))
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    let model = try #require(try fixture.models(url).first).model
    let store = try OpenStore(
      url, model, options: [NSIgnorePersistentStoreVersioningOption: NSNumber(value: true)])
    let constraints = try #require(
      model.entitiesByName["GeographicRegion"]?.uniquenessConstraintNames)
    #expect(constraints == [["numericISO3166Code", "uniquenessDummy"]])
    let context = store.context
    try context.performAndWait {
      let old = try #require(
        try context.all("Country", "numericISO3166Code == 710").first)
      let new = context.insert("Country")
      for (name, attribute) in new.entity.attributesByName where !attribute.isTransient {
        new.setValue(old.value(forKey: name), forKey: name)
      }
      for (name, relationship) in new.entity.relationshipsByName where !relationship.isToMany {
        new.setValue(old.value(forKey: name), forKey: name)
      }
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey]
      let conflict = (conflicts as? [NSConstraintConflict])?.first
      #expect(conflict?.constraint == ["numericISO3166Code", "uniquenessDummy"])
      #expect(conflict?.databaseObject === old)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      #expect(try context.all("Country", "numericISO3166Code == 710").count == 1)
    }
    try store.close()
  }
}
