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

  private static var wholes: [(format: String, argument: [String: Any]?, names: String)] {
    [
      ("nil == location", nil, "d"), ("nil != location", nil, "abc"),
      ("%@ == location", ["longitude": 3.5], "c"), ("location.address == nil", nil, "cd"),
      ("location.address != nil", nil, "ab"), ("SELF.location == nil", nil, "d"),
      ("location.address == %@", ["city": "Bergen"], "b"),
      ("location.address != %@", ["city": "Bergen"], "a"),
      ("NOT location.address == %@", ["city": "Bergen"], "a"),
      // An element without a value differs from a value.
      ("location != %@", ["longitude": 3.5, "latitude": 1.5], "abc"),
      ("NOT location == %@", ["longitude": 3.5, "latitude": 1.5], "abc"),
      ("ANY visits.place.location == nil", nil, "d"),
      ("ANY visits.place.location.address == %@", ["city": "Bergen"], "b"),
      ("ALL visits.place.location != nil", nil, "abc"),
      ("SUBQUERY(visits, $v, $v.place.location == nil).@count > 0", nil, "d"),
      ("SUBQUERY(visits, $v, nil != $v.place.location.address).@count > 0", nil, "ab"),
    ]
  }

  @Test(
    "A whole composite can be compared on either side, nested, and behind relationships",
    .only(TestedStore.allCases, "custom stores decide themselves how to evaluate predicates"),
    arguments: wholes.indices)
  func wholeAnywhere(_ number: Int) throws {
    let (format, argument, expected) = Self.wholes[number]
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      try fill(context)
      for _ in 0..<2 {
        let found = try context.all(
          "Place", format, argument.map { [$0] } ?? [], sort: ["name"])
        #expect(found.compactMap { $0["name"] }.joined() == expected)
        try context.save()
      }
      #expect(throws: NSError.self) { try context.all("Place", "location == name") }
      #expect(throws: NSError.self) { try context.all("Place", sort: ["location"]) }
      #expect(throws: NSError.self) { try context.all("Place", "ANY location == nil") }
    }
  }

  @Test(
    "Dictionaries contain whole composites behind relationships, and nested ones",
    .only(TestedStore.allCases, "custom stores decide themselves what dictionaries contain"))
  func wholeColumns() throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      try fill(context)
      try context.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Visit")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["day", "place.location", "place.location.address"]
      request.sortDescriptors = [NSSortDescriptor(key: "day", ascending: true)]
      let rows = try context.fetch(request)
      let locations = rows.map { $0["place.location"] as? [String: Any] }
      #expect(locations.map { $0?["longitude"] as? Double } == [10.7, nil, 3.5, nil])
      #expect(
        locations.map { ($0?["address"] as? [String: Any])?["city"] as? String }
          == ["Oslo", "Bergen", nil, nil])
      #expect(locations.map { $0 == nil } == [false, false, false, true])
      let addresses = rows.map { $0["place.location.address"] as? [String: Any] }
      #expect(addresses.map { $0?["zip"] as? Int } == [150, nil, nil, nil])
      #expect(addresses.map { $0 == nil } == [false, false, true, true])
    }
  }

  @Test(
    "An element that the composite does not have is an error of a fetch and in memory",
    .only(TestedStore.allCases, "custom stores decide themselves how to evaluate predicates"),
    arguments: [
      "location.height == nil", "location.address.height == nil",
      "ANY visits.place.location.height == nil",
      "SUBQUERY(visits, $v, $v.place.location.height == nil).@count > 0",
    ])
  func unknownElements(_ format: String) throws {
    try SampleStack.withContext(model: SampleStack.makePlaceModel()) { context in
      try fill(context)
      try context.save()
      let predicate = try NSPredicate(validating: format)
      for place in try context.all("Place") {
        let error = #expect(throws: NSError.self) { try predicate.evaluated(with: place) }
        #expect(error?.localizedDescription.contains("height is not an element") == true)
        #expect(!predicate.evaluate(with: place))
        // The value is a dictionary, for which key-value coding has no unknown key.
        #expect(place.value(forKeyPath: "location.height") == nil)
        let places = NSSet(object: place)
        #expect((places.value(forKeyPath: "location.height") as? NSSet)?.count == 0)
        #expect(places.value(forKeyPath: "@max.location.height") == nil)
      }
      #expect(throws: NSError.self) { try context.all("Place", format) }
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

  @Test(
    "If the store wins a conflict of unique elements, the whole composite gets its former value",
    .only([.sqlite], "the test is about merge policies, not about stores"))
  func constraintConflicts() throws {
    let model = SampleStack.makePlaceModel()
    model.entitiesByName["Place"]?.uniquenessConstraints = [["location.address.zip"]]
    try SampleStack.withContext(model: model) { context in
      context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
      context.insert("Place", ["location": ["address": ["zip": 5]]])
      let place = context.insert(
        "Place", ["location": ["latitude": 1.5, "address": ["zip": 6]] as [String: Any]])
      try context.save()
      place.setValue(
        ["latitude": 2.5, "address": ["zip": 5]] as [String: Any], forKey: "location")
      try context.save()
      #expect(place.value(forKeyPath: "location.address.zip") as? Int == 6)
      #expect(place.value(forKeyPath: "location.latitude") as? Double == 1.5)
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
