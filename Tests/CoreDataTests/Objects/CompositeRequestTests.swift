import CoreData
import CoreDataTestSupport
import Testing

@Suite("Composite attributes in requests", .onEveryStore)
struct CompositeRequestTests {
  private func fill(_ context: NSManagedObjectContext) throws {
    let values: [(String, [String: Any]?)] = [
      ("a", ["latitude": 59.9, "longitude": 10.7, "address": ["city": "Oslo", "zip": 150]]),
      ("b", ["latitude": 60.4, "address": ["city": "Bergen"]]),
      ("c", ["longitude": 3.5]), ("d", nil),
    ]
    for (index, (name, location)) in values.enumerated() {
      let place = context.insert("Place", ["name": name, "location": location])
      context.insert("Visit", ["day": index, "place": place])
    }
  }

  @Test("Elements can be compared and sorted by their key paths, saved or unsaved")
  func keyPaths() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      try fill(context)
      for _ in 0..<2 {
        func names(_ format: String, _ arguments: [Any] = []) throws -> String {
          try context.all("Place", format, arguments, sort: ["name"])
            .compactMap { $0["name"] }.joined()
        }
        #expect(try names("location.latitude > 60") == "b")
        #expect(try names("location.address.city == 'Oslo' OR location.longitude < 5") == "ac")
        #expect(try names("location.address.city CONTAINS[c] 'OS'") == "a")
        #expect(try names("location.address.zip == nil") == "bcd")
        #expect(try names("ANY visits.place.location.latitude > 60") == "b")
        let days = try context.all("Visit", "place.location.address.city IN {'Oslo', 'Rome'}")
        #expect(days.map { $0["day"] } == [0])
        let sorted = try context.all(
          "Place", "location.latitude != nil", sort: ["-location.latitude"])
        #expect(sorted.map { $0["name"] } == ["b", "a"])
        try context.save()
      }
    }
  }

  @Test("Live results can sort and section by an element, and follow its changes")
  func sections() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      try fill(context)
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Place")
      request.predicate = NSPredicate(format: "location.address.city != nil")
      request.sortDescriptors = [NSSortDescriptor(key: "location.address.city", ascending: true)]
      let results = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context,
        sectionNameKeyPath: "location.address.city", cacheName: nil)
      let table = RecordingTable(traps: false)
      results.delegate = table
      try results.performFetch()
      #expect(results.sections?.map(\.name) == ["Bergen", "Oslo"])
      let place = try #require(try context.all("Place", "name == 'd'").first)
      place.setValue(["address": ["city": "Rome"]], forKey: "location")
      context.processPendingChanges()
      #expect(results.sections?.map(\.name) == ["Bergen", "Oslo", "Rome"])
      place.setValue("Bergen", forKeyPath: "location.address.city")
      context.processPendingChanges()
      #expect(results.sections?.map(\.numberOfObjects) == [2, 1])
    }
  }

  @Test(
    "A whole composite can be compared with nil and with dictionaries",
    .only(TestedStore.allCases, "custom stores decide themselves how to evaluate predicates"))
  func whole() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      try fill(context)
      for _ in 0..<2 {
        func names(_ format: String, _ arguments: [Any] = []) throws -> String {
          try context.all("Place", format, arguments, sort: ["name"])
            .compactMap { $0["name"] }.joined()
        }
        #expect(try names("location == nil") == "d")
        #expect(try names("location != nil") == "abc")
        #expect(try names("location == %@", [["longitude": 3.5]]) == "c")
        for wrong in ["location > 5", "location.address == 'x'", "location.height > 1"] {
          #expect(throws: NSError.self) { try names(wrong) }
        }
        try context.save()
      }
    }
  }

  @Test(
    "Batch requests insert and update whole composites and single elements",
    .only(TestedStore.sqlKinds, "Apple: only SQLite stores support batch requests"))
  func batches() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      try context.batchInsert(
        "Place",
        [
          ["name": "a", "location": ["latitude": 1.5, "address": ["city": "Rome"]]],
          ["name": "b", "location.latitude": 2.5], ["name": "c"],
        ])
      #expect(try context.column("Place", "location.latitude") == ["-", "1.5", "2.5"])
      try context.batchUpdate("Place", "location.latitude == 2.5", ["location.longitude": 9.5])
      try context.batchUpdate(
        "Place", "location.address.city == 'Rome'",
        ["location": ["address": ["zip": 5]] as [String: Any]])
      context.refreshAllObjects()
      let places = try context.all("Place", sort: ["name"])
      #expect(places[0].value(forKeyPath: "location.latitude") == nil)
      #expect(places[0].value(forKeyPath: "location.address.zip") as? Int == 5)
      #expect(places[1].value(forKeyPath: "location.longitude") as? Double == 9.5)
      #expect(throws: NSError.self) {
        try context.batchInsert("Place", [["location": ["height": 1]]])
      }
    }
  }

  @Test(
    "If two contexts save a composite, the merge policy's choice applies to the whole value",
    .only([.sqlite], "the test opens one file in two coordinators"))
  func conflicts() throws {
    for (policy, expected) in [
      (NSMergePolicy.mergeByPropertyObjectTrump, "1.5 nil 8"),
      (NSMergePolicy.mergeByPropertyStoreTrump, "nil 2.5 8"),
    ] {
      let stack = try SampleStack(model: SampleStack.makePlaceModel())
      let other = try stack.reopened().context
      try onQueues(of: stack.context, other) {
        let place = stack.context.insert("Place", ["location": ["latitude": 0.5]])
        try stack.context.save()
        let twin = try #require(try other.all("Place").first)
        twin.setValue(["longitude": 2.5], forKey: "location")
        try other.save()
        stack.context.mergePolicy = policy
        place.setValue(["latitude": 1.5], forKey: "location")
        place.setValue("8", forKey: "name")
        try stack.context.save()
        let found = ["location.latitude", "location.longitude", "name"].map {
          place.value(forKeyPath: $0).map { "\($0)" } ?? "nil"
        }
        #expect(found.joined(separator: " ") == expected)
      }
    }
  }

  /// The column names are this library's own: no store of Apple's with a composite attribute was
  /// available.
  @Test(
    "Each element has its own column, index and constraint",
    .only([.sqlite], "only SQLite has columns"))
  func columns() throws {
    let model = SampleStack.makePlaceModel()
    let place = try #require(model.entitiesByName["Place"])
    place.uniquenessConstraints = [["location.address.zip"]]
    place.indexes = [
      NSFetchIndexDescription(
        name: "byCity",
        elements: [
          NSFetchIndexElementDescription(
            propertyName: "location.address.city", collationType: .binary)
        ])
    ]
    let stack = try SampleStack(model: model)
    let url = try #require(stack.coordinator.persistentStores[0].url)
    let texts = try PlainDatabase(url).values(
      "SELECT sql FROM sqlite_master WHERE tbl_name = 'ZPLACE' ORDER BY type, name")
    #expect(
      texts.compactMap(\.first?.text) == [
        "CREATE UNIQUE INDEX \"Z_Place_UNIQUE_location.address.zip\" ON ZPLACE"
          + " (ZLOCATION_ADDRESS_ZIP COLLATE BINARY ASC)",
        "CREATE INDEX Z_Place_byCity ON ZPLACE (ZLOCATION_ADDRESS_CITY COLLATE BINARY ASC)",
        "CREATE TABLE ZPLACE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,"
          + " ZLOCATION_ADDRESS_ZIP INTEGER, ZLOCATION_LATITUDE FLOAT, ZLOCATION_LONGITUDE FLOAT,"
          + " ZLOCATION_ADDRESS_CITY VARCHAR, ZNAME VARCHAR )",
      ])
    stack.context.performAndWait {
      stack.context.insert("Place", ["location": ["address": ["zip": 5]]])
      stack.context.insert("Place", ["location": ["address": ["zip": 5]]])
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
    }
  }
}
