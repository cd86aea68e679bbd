import CoreData
import Testing

// Sources: Apple's pages for NSBatchInsertRequest and its initializers; WWDC 2019 session 230 and
// 2020 session 10017; tests of CoreDataPlus.

@Suite("Batch insertion", .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"))
struct BatchInsertTests {
  @Test("Dictionaries become rows; the result is a status, the IDs or their count")
  func resultTypes() throws {
    try SampleStack.withContext { context in
      let request = NSBatchInsertRequest(
        entityName: "Player", objects: [["name": "Ada", "age": 36], ["name": "Grace"]])
      let status = try #require(try context.execute(request) as? NSBatchInsertResult)
      #expect(status.result as? Bool == true)
      #expect(status.resultType == .statusOnly)
      request.resultType = .count
      let count = try #require(try context.execute(request) as? NSBatchInsertResult)
      #expect(count.result as? Int == 2)
      let ids = try context.batchInsert(request)
      #expect(ids.count == 2)
      #expect(ids.allSatisfy { !$0.isTemporaryID && $0.entity.name == "Player" })
      #expect(context.registeredObjects.isEmpty)
      #expect(
        try context.column("Player", "name") == ["Ada", "Ada", "Ada", "Grace", "Grace", "Grace"])
      #expect(try context.column("Player", "age", "name == 'Grace'") == ["-", "-", "-"])
      let object = try context.existingObject(with: ids[0])
      #expect(object["name"] == "Ada")
      #expect(request.entity?.name == "Player")
      #expect(request.requestType == .batchInsertRequestType)
    }
  }

  @Test("A coordinator executes batch requests as well")
  func coordinator() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let request = NSBatchInsertRequest(entityName: "Tag", objects: [["label": "a"]])
      request.resultType = .count
      let result = try stack.coordinator.execute(request, with: stack.context)
      #expect((result as? NSBatchInsertResult)?.result as? Int == 1)
    }
  }

  @Test("A handler is called until it returns true, and that call inserts no row")
  func handlers() throws {
    try SampleStack.withContext { context in
      var calls = 0
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Player") { (row: NSMutableDictionary) in
          #expect(row.count == 0)
          calls += 1
          row["name"] = "d\(calls)"
          row["number"] = calls
          return calls == 4
        })
      #expect(calls == 4)
      calls = 0
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Captain") { (object: NSManagedObject) in
          #expect(object.value(forKey: "name") == nil)
          #expect(object.managedObjectContext == nil)
          calls += 1
          object.setValue("o\(calls)", forKey: "name")
          object.setValue(Date(timeIntervalSinceReferenceDate: 5), forKey: "since")
          return calls == 3
        })
      calls = 0
      try context.batchInsert(
        NSBatchInsertRequest(
          entityName: "Player", properties: ["number", "name", "score", "isActive"]
        ) { row in
          calls += 1
          row.set(calls, at: 0)
          if calls == 1 { row.set("r", at: 1) }
          row.set(0.5, at: 2)
          row.set(any: true, at: 3)
          return calls == 3
        })
      #expect(context.registeredObjects.isEmpty)
      #expect(try context.column("Player", "name") == ["-", "d1", "d2", "d3", "o1", "o2", "r"])
      #expect(try context.column("Captain", "name") == ["o1", "o2"])
      #expect(try context.all("Player", "score == 0.5 AND isActive == YES").count == 2)
    }
  }

  @Test("Requests made with an entity and with its name insert the same rows")
  func entities() throws {
    try SampleStack.withContext { context in
      let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
      let captain = try #require(model.entitiesByName["Captain"])
      let rows: [[String: Any]] = [["name": "a", "number": 1], ["name": "b", "number": 2]]
      func dictionaries() -> (NSMutableDictionary) -> Bool {
        var rest = rows.makeIterator()
        return { row in
          guard let next = rest.next() else { return true }
          for (key, value) in next { row[key] = value }
          return false
        }
      }
      func objects() -> (NSManagedObject) -> Bool {
        var rest = rows.makeIterator()
        return { object in
          guard let next = rest.next() else { return true }
          for (key, value) in next { object.setValue(value, forKey: key) }
          return false
        }
      }
      let named = [
        NSBatchInsertRequest(entityName: "Captain", objects: rows),
        NSBatchInsertRequest(entityName: "Captain", dictionaryHandler: dictionaries()),
        NSBatchInsertRequest(entityName: "Captain", managedObjectHandler: objects()),
      ]
      let described = [
        NSBatchInsertRequest(entity: captain, objects: rows),
        NSBatchInsertRequest(entity: captain, dictionaryHandler: dictionaries()),
        NSBatchInsertRequest(entity: captain, managedObjectHandler: objects()),
      ]
      #expect(named.allSatisfy { $0.entity == nil && $0.entityName == "Captain" })
      #expect(described.allSatisfy { $0.entity === captain && $0.entityName == "Captain" })
      for request in named + described {
        let ids = try context.batchInsert(request)
        #expect(ids.map { $0.entity.name } == ["Captain", "Captain"])
        #expect(request.entity?.name == "Captain")
        let names = try context.column("Captain", "name")
        let numbers = try context.column("Captain", "number")
        #expect(names == ["a", "b"] && numbers == ["1", "2"])
        // The next request starts with an empty table.
        try context.batchDelete("Captain")
        context.reset()
      }
    }
  }

  @Test("A handler gets the same object, reset to its defaults, for all rows, unless it retains it")
  func reusedObject() throws {
    try SampleStack.withContext { context in
      var used: Set<ObjectIdentifier> = []
      var calls = 0
      try context.batchInsert(
        NSBatchInsertRequest(
          entityName: "Player",
          managedObjectHandler: { object in
            calls += 1
            used.insert(ObjectIdentifier(object))
            #expect(object["name"] as String? == nil)
            // Only the first row has a name.
            if calls == 1 { object["name"] = "r1" }
            return calls == 4
          }))
      #expect(used.count == 1)
      #expect(try context.column("Player", "name") == ["-", "-", "r1"])
      var kept: [NSManagedObject] = []
      try context.batchInsert(
        NSBatchInsertRequest(
          entityName: "Player",
          managedObjectHandler: { object in
            kept.append(object)
            object["name"] = "k\(kept.count)"
            return kept.count == 4
          }))
      #expect(kept.map { $0["name"] } == ["k1", "k2", "k3", "k4"])
      #expect(try context.column("Player", "name") == ["-", "-", "k1", "k2", "k3", "r1"])
    }
  }

  @Test("A handler may fetch from the store it inserts into; an abstract entity is an error")
  func fetchingHandler() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Tag"]?.isAbstract = true
    try SampleStack.withContext(model: model) { context in
      try context.batchInsert("Team", [["name": "red"]])
      var names: [String] = []
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Player") { (row: NSMutableDictionary) in
          names += (try? context.column("Team", "name")) ?? []
          row["name"] = names.last
          return names.count > 2
        })
      #expect(try context.column("Player", "name") == ["red", "red"])
      #expect(throws: NSError.self) { try context.batchInsert("Tag", [["label": "a"]]) }
    }
  }

  @Test("An object that the handler retains is not reused")
  func keptObjects() throws {
    try SampleStack.withContext { context in
      var kept: [NSManagedObject] = []
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Player") { (object: NSManagedObject) in
          object.setValue("n\(kept.count)", forKey: "name")
          kept.append(object)
          return kept.count > 3
        })
      #expect(kept.map { $0.value(forKey: "name") as? String } == ["n0", "n1", "n2", "n3"])
    }
  }

  @Test("Attributes without a value get the model's default")
  func defaults() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.attributesByName["age"]?.defaultValue = 18
    try SampleStack.withContext(model: model) { context in
      try context.batchInsert(
        "Captain", [["name": "a"], ["name": "b", "age": 40], ["age": NSNull()]])
      var isDone = false
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Player", properties: ["name"]) { row in
          defer { isDone = true }
          row.set("c", at: 0)
          return isDone
        })
      #expect(try context.column("Player", "age") == ["-", "18", "18", "40"])
    }
  }

  @Test("Unknown keys in a dictionary are ignored; relationships and unknown properties are errors")
  func unknownKeys() throws {
    try SampleStack.withContext { context in
      try context.batchInsert("Player", [["name": "a", "nonsense": 1, "team": NSNull()]])
      #expect(try context.column("Player", "name") == ["a"])
      let team = context.insert("Team")
      #expect(throws: NSError.self) { try context.batchInsert("Player", [["team": team]]) }
      #expect(throws: NSError.self) {
        try context.batchInsert(
          NSBatchInsertRequest(entityName: "Player", properties: ["nmae"]) { _ in true })
      }
    }
  }

  @Test("A row that lacks a required value or has one of the wrong type fails the whole request")
  func failingRow() throws {
    try SampleStack.withContext { context in
      var rows: [[String: Any]] = (0..<100).map { ["label": "l\($0)"] }
      rows.append([:])
      expectError(NSValidationMissingMandatoryPropertyError) {
        try context.batchInsert("Tag", rows)
      }
      rows[100] = ["label": 7]
      #expect(throws: NSError.self) { try context.batchInsert("Tag", rows) }
      #expect(try context.all("Tag").isEmpty)
      rows[100] = ["label": "x"]
      let ids = try context.batchInsert("Tag", rows)
      #expect(ids.count == 101)
      #expect(ids[0].uriRepresentation().lastPathComponent == "p1")
    }
  }

  @Test("The next request uses the primary keys that a handler left unused")
  func unusedKeys() throws {
    try SampleStack.withContext { context in
      for round in 1...3 {
        var count = 0
        let ids = try context.batchInsert(
          NSBatchInsertRequest(entityName: "Team") { (row: NSMutableDictionary) in
            count += 1
            row["name"] = "t"
            return count > 2
          })
        #expect(
          ids.map { $0.uriRepresentation().lastPathComponent } == [
            "p\(2 * round - 1)", "p\(2 * round)",
          ])
      }
      let object = context.insert("Team")
      try context.save()
      #expect(object.objectID.uriRepresentation().lastPathComponent == "p7")
    }
  }

  @Test("Values of every type are read back unchanged")
  func types() throws {
    let model = NSManagedObjectModel()
    let entity = NSEntityDescription()
    entity.name = "Thing"
    let types: [(String, NSAttributeType, Any)] = [
      ("i", .integer64AttributeType, Int64.min), ("b", .booleanAttributeType, true),
      ("d", .doubleAttributeType, 1.25), ("f", .floatAttributeType, Float(0.5)),
      ("m", .decimalAttributeType, NSDecimalNumber(string: "12.5")),
      ("s", .stringAttributeType, "é\u{0}x"),
      ("t", .dateAttributeType, Date(timeIntervalSince1970: 3)),
      ("x", .binaryDataAttributeType, Data([0, 1])), ("u", .UUIDAttributeType, UUID()),
      ("l", .URIAttributeType, try #require(URL(string: "http://a/b"))),
      ("v", .transformableAttributeType, ["a", "b"] as NSArray),
    ]
    entity.properties = types.map { SampleStack.attribute($0.0, $0.1) }
    let big = SampleStack.attribute("big", .binaryDataAttributeType)
    big.allowsExternalBinaryDataStorage = true
    entity.properties.append(big)
    model.entities = [entity]
    try SampleStack.withContext(model: model) { context in
      var row: [String: Any] = ["big": Data([9, 8])]
      for (name, _, value) in types { row[name] = value }
      try context.batchInsert("Thing", [row])
      var isDone = false
      let names = types.map(\.0) + ["big"]
      try context.batchInsert(
        NSBatchInsertRequest(entityName: "Thing", properties: names) { target in
          for (place, name) in names.enumerated() { target.set(any: row[name], at: place) }
          defer { isDone = true }
          return isDone
        })
      let objects = try context.all("Thing")
      #expect(objects.count == 2)
      for object in objects {
        for (name, value) in row {
          let read = object.value(forKey: name)
          #expect((read as? NSObject)?.isEqual(value) == true, "\(name): \(read ?? "nil")")
        }
      }
    }
  }

  @Test("Derived attributes are written with the rows")
  func derived() throws {
    let model = SampleStack.makeModel()
    let folded = NSDerivedAttributeDescription()
    folded.name = "folded"
    folded.attributeType = .stringAttributeType
    folded.isOptional = true
    folded.derivationExpression = NSExpression(format: "canonical:(name)")
    model.entitiesByName["Player"]?.properties.append(folded)
    try SampleStack.withContext(model: model) { context in
      try context.batchInsert("Player", [["name": "Élan"], ["age": 1]])
      #expect(try context.column("Player", "folded") == ["-", "elan"])
      try context.batchUpdate("Player", "age == 1", ["name": "ÀB"])
      #expect(try context.reading("folded") == ["ab", "elan"])
      try context.batchUpdate("Player", nil, ["name": NSExpression(format: "uppercase:(folded)")])
      #expect(try context.reading("name") == ["AB", "ELAN"])
      #expect(try context.reading("folded") == ["ab", "elan"])
    }
  }
}

extension NSManagedObjectContext {
  /// Returns a property of all players, with its current values in the store.
  func reading(_ key: String) throws -> [String] {
    refreshAllObjects()
    return try column("Player", key)
  }
}
