import CoreData
import Synchronization
import Testing

@Suite struct AtomicStoreTests {
  private static func model() -> NSManagedObjectModel {
    let thing = NSEntityDescription()
    thing.name = "Thing"
    let types: [(String, NSAttributeType)] = [
      ("int16", .integer16AttributeType), ("int32", .integer32AttributeType),
      ("int64", .integer64AttributeType), ("flag", .booleanAttributeType),
      ("double", .doubleAttributeType), ("float", .floatAttributeType),
      ("date", .dateAttributeType), ("decimal", .decimalAttributeType),
      ("text", .stringAttributeType), ("bytes", .binaryDataAttributeType),
      ("uuid", .UUIDAttributeType), ("link", .URIAttributeType),
      ("list", .transformableAttributeType),
    ]
    let next = SampleStack.relationship("next", to: thing)
    let related = SampleStack.relationship("related", to: thing, toMany: true)
    thing.properties = types.map { SampleStack.attribute($0.0, $0.1) } + [next, related]
    let model = NSManagedObjectModel()
    model.entities = [thing]
    return model
  }

  @Test("Values of every type are read unchanged, extreme ones included")
  func everyType() throws {
    let uuid = UUID()
    let values: [[String: Any]] = [
      [
        "int16": Int16.min, "int32": Int32.max, "int64": Int64.min, "flag": true,
        "double": 0.1 + 0.2, "float": Float.pi, "date": Date(timeIntervalSinceReferenceDate: 0.1),
        "decimal": NSDecimalNumber(string: "123456789.25"), "text": "a <b> & \"c\"\r\n\t ü 😀",
        "bytes": Data(0...255), "uuid": uuid, "link": URL(string: "https://example.org/?a=1&b=2")!,
        "list": ["x", "y"] as NSArray,
      ],
      [
        "int64": Int64.max, "flag": false, "double": Double.leastNonzeroMagnitude,
        "date": Date.distantPast, "text": "", "bytes": Data(),
      ],
      ["double": -Double.greatestFiniteMagnitude, "text": "bell \u{7} and zero \0", "flag": true],
      ["date": Date(timeIntervalSinceReferenceDate: 1e-30), "text": " space ", "double": 1e22],
      [:],
    ]
    try onEveryStore { kind, folder in
      let url = kind.url(in: folder)
      var (store, context) = try kind.open(Self.model(), at: url)
      try context.performAndWait {
        for (index, row) in values.enumerated() {
          let thing = context.insert("Thing", row)
          thing["int32"] = index
          if index == 0 { thing["int32"] = Int32.max }
        }
        try context.save()
      }
      if kind.isFile {
        try context.persistentStoreCoordinator?.remove(store)
        (store, context) = try kind.open(Self.model(), at: url)
      } else {
        context.performAndWait {
          context.reset()
        }
      }
      try context.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        let things = try context.fetch(request)
        #expect(things.count == values.count)
        for (thing, row) in zip(things, values) {
          for key in thing.entity.attributesByName.keys where key != "int32" {
            let found = thing.value(forKey: key) as? NSObject
            let given = row[key] as? NSObject
            if key == "float", let given = given as? NSNumber {
              #expect((found as? NSNumber)?.floatValue == given.floatValue, "\(kind)")
            } else {
              #expect(found == given, "\(kind) \(key)")
            }
          }
        }
      }
    }
  }

  @Test("A relationship without an inverse does not contain a deleted object after reopening")
  func danglingReference() throws {
    try onEveryStore([.xml, .binary]) { kind, folder in
      let url = kind.url(in: folder)
      let (_, context) = try kind.open(Self.model(), at: url)
      try context.performAndWait {
        let (first, second) = (context.insert("Thing"), context.insert("Thing"))
        first.setValue(second, forKey: "next")
        first.setValue(Set([second, first]), forKey: "related")
        try context.save()
        context.delete(second)
        try context.save()
      }
      let opened = try kind.open(Self.model(), at: url)
      try opened.context.performAndWait {
        let things = try opened.context.all("Thing")
        #expect(things.count == 1)
        #expect(things.first?.value(forKey: "next") == nil)
        #expect((things.first?["related"] as Set<NSManagedObject>?) == Set(things))
      }
    }
  }

  @Test("A save that cannot write the file throws, changes nothing, and can be repeated")
  func failedSave() throws {
    try onEveryStore([.xml, .binary]) { kind, folder in
      let home = folder.file("home")
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      let url = home.appendingPathComponent("store")
      let (store, context) = try kind.open(SampleStack.makeModel(), at: url)
      try context.performAndWait {
        let team = context.insert("Team", ["name": "Reds"])
        try context.save()
        try FileManager.default.moveItem(at: home, to: folder.file("away"))
        team["name"] = "Blues"
        context.insert("Team", ["name": "Greens"])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSPersistentStoreSaveError)
        #expect(error?.localizedDescription.contains(url.path) == true)
        #expect(context.hasChanges)
      }
      // Another context sees the contents of the file.
      let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      other.persistentStoreCoordinator = store.persistentStoreCoordinator
      try other.performAndWait { () throws in
        #expect(try other.all("Team").map { $0["name"] } == ["Reds"])
      }
      try FileManager.default.moveItem(at: folder.file("away"), to: home)
      try context.performAndWait {
        try context.save()
      }
      let opened = try kind.open(SampleStack.makeModel(), at: url)
      try opened.context.performAndWait {
        let names = try opened.context.all("Team", sort: ["name"]).compactMap {
          $0["name"] as String?
        }
        #expect(names == ["Blues", "Greens"])
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["store"])
    }
  }

  @Test("Saving again writes the same bytes, and keys are not reused")
  func stableBytes() throws {
    try onEveryStore([.xml, .binary]) { kind, folder in
      let url = kind.url(in: folder)
      let (_, context) = try kind.open(SampleStack.makeModel(), at: url)
      let uri = try context.performAndWait {
        let player = context.insert("Player", ["name": "a"])
        player.setValue(context.insert("Team", ["name": "Reds"]), forKey: "team")
        try context.save()
        let extra = context.insert("Player", ["name": "b"])
        try context.save()
        let uri = extra.objectID.uriRepresentation()
        context.delete(extra)
        try context.save()
        return uri
      }
      let text = kind == .xml ? try String(contentsOf: url, encoding: .utf8) : ""
      let (_, again) = try kind.open(SampleStack.makeModel(), at: url)
      try again.performAndWait {
        let new = again.insert("Team", ["name": "Blues"])
        try again.save()
        #expect(new.objectID.uriRepresentation().lastPathComponent == "p4")
        #expect(uri.lastPathComponent == "p3")
        again.delete(new)
        try again.save()
      }
      let after = kind == .xml ? try String(contentsOf: url, encoding: .utf8) : ""
      #expect(
        after.replacingOccurrences(of: "<nextObjectID>5<", with: "<nextObjectID>4<") == text)
    }
  }

  @Test func `An insertion into a store without unused keys throws`() throws {
    try onEveryStore([.xml, .binary]) { kind, folder in
      let url = kind.url(in: folder)
      let (store, context) = try kind.open(SampleStack.makeModel(), at: url)
      try context.performAndWait {
        context.insert("Team", ["name": "Reds"])
        try context.save()
      }
      try context.persistentStoreCoordinator?.remove(store)
      try Self.replaceKey(of: kind, at: url, with: .max)
      for name in ["Blues", "Greens"] {
        let (store, opened) = try kind.open(SampleStack.makeModel(), at: url)
        try opened.performAndWait {
          let team = try #require(try opened.all("Team").first)
          #expect(team.objectID.uriRepresentation().lastPathComponent == "p\(Int64.max)")
          let player = opened.insert("Player")
          let attempts: [() throws -> Void] = [
            { try opened.save() }, { try opened.obtainPermanentIDs(for: [player]) },
          ]
          for attempt in attempts {
            let error = #expect(throws: NSError.self) { try attempt() }
            #expect(error?.localizedDescription.contains("has no keys left") == true, "\(kind)")
          }
          opened.delete(player)
          team["name"] = name
          try opened.save()
        }
        try opened.persistentStoreCoordinator?.remove(store)
      }
      let last = try kind.open(SampleStack.makeModel(), at: url).context
      let names = try last.performAndWait { try last.all("Team").map { $0["name"] as String? } }
      #expect(names == ["Greens"])
    }
  }

  /// Replaces the key of the only object of a store.
  private static func replaceKey(of kind: TestedStore, at url: URL, with key: Int64) throws {
    if kind == .xml {
      let text = try String(contentsOf: url, encoding: .utf8)
      try Data(text.replacingOccurrences(of: "id=\"z1\"", with: "id=\"z\(key)\"").utf8)
        .write(to: url)
      return
    }
    var list = try #require(
      try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
        as? [String: Any])
    var entities = try #require(list["Entities"] as? [String: [String: Any]])
    entities["Team"]?["Keys"] = [key]
    list["Entities"] = entities
    try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
      .write(to: url)
  }

  @Test func `Metadata that another thread sets during a save is written by the next save`() throws
  {
    try onEveryStore([.xml, .binary]) { kind, folder in
      let url = kind.url(in: folder)
      let (store, context) = try kind.open(SampleStack.makeModel(), at: url)
      let failures = Mutex<[String]>([])
      for round in 0..<50 {
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
          if thread == 0 {
            store.metadata["round"] = round
            return
          }
          context.performAndWait {
            context.insert("Team")
            do { try context.save() } catch { failures.withLock { $0.append("\(error)") } }
          }
        }
        try context.performAndWait { try context.save() }
        let written = try NSPersistentStoreCoordinator.metadataForPersistentStore(
          ofType: kind.type, at: url)
        #expect(written["round"] as? Int == round, "\(kind)")
      }
      #expect(failures.withLock { $0 } == [])
    }
  }

  /// Columns of SQLite accept any integer, and Core Data validates only the rules of the model.
  @Test func `An integer beyond an attribute's type is read as it was set, from every store`()
    throws
  {
    try onEveryStore { kind, folder in
      let url = kind.url(in: folder)
      let (store, context) = try kind.open(Self.model(), at: url)
      try context.performAndWait {
        context.insert("Thing", ["int16": 70_000, "int32": Int64.max])
        try context.save()
        context.reset()
      }
      var reader = context
      if kind.isFile {
        try context.persistentStoreCoordinator?.remove(store)
        reader = try kind.open(Self.model(), at: url).context
      }
      try reader.performAndWait {
        let thing = try #require(try reader.all("Thing").first)
        #expect(thing.value(forKey: "int16") as? Int == 70_000, "\(kind)")
        #expect(thing.value(forKey: "int32") as? Int64 == .max, "\(kind)")
      }
    }
  }

  @Test("Derived attributes are rejected with the text of Apple's exception")
  func derivedAttributes() throws {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    let derived = NSDerivedAttributeDescription()
    derived.name = "now"
    derived.attributeType = .dateAttributeType
    derived.derivationExpression = NSExpression(format: "now()")
    entity.properties = [derived]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let folder = try TemporaryFolder()
    for kind in [TestedStore.inMemory, .binary, .xml] {
      let error = #expect(throws: NSError.self) {
        try kind.open(model, at: kind.url(in: folder))
      }
      #expect(
        error?.localizedDescription.contains(
          "Core Data provided atomic stores do not support derived properties") == true)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test("Damaged and truncated XML and binary files are rejected")
  func damagedFiles() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.xml")
    let (_, context) = try TestedStore.xml.open(SampleStack.makeModel(), at: url)
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Reds"])
      context.insert("Player", ["name": "a", "age": 3]).setValue(team, forKey: "team")
      try context.save()
    }
    let text = try String(contentsOf: url, encoding: .utf8)
    for (old, new) in [
      ("</object>", ""), ("type=\"TEAM\" id", "type=\"TEEM\" id"), ("id=\"z1\"", "id=\"z2\""),
      (">3</attribute>", ">three</attribute>"), ("name=\"age\"", "name=\"years\""),
      ("idrefs=\"z", "idrefs=\"y"), ("<metadata>", "<meta>"), ("</plist>", ""),
    ] {
      let changed = text.replacingOccurrences(of: old, with: new)
      #expect(changed != text, "\(old)")
      try Data(changed.utf8).write(to: url)
      let error = #expect(throws: NSError.self, "\(old) -> \(new)") {
        try TestedStore.xml.open(SampleStack.makeModel(), at: url)
      }
      #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue, "\(old)")
      #expect(try String(contentsOf: url, encoding: .utf8) == changed)
    }
    // Each prefix of the file ends before the last line, `</database>`.
    let bytes = Data(text.utf8)
    for length in stride(from: 0, to: bytes.count - 12, by: 97) {
      try bytes.prefix(length).write(to: url)
      #expect(throws: NSError.self) { try TestedStore.xml.open(SampleStack.makeModel(), at: url) }
    }
    let binary = folder.file("store.binary")
    _ = try TestedStore.binary.open(SampleStack.makeModel(), at: binary)
    let whole = try Data(contentsOf: binary)
    for length in stride(from: 0, to: whole.count, by: 61) {
      try whole.prefix(length).write(to: binary)
      #expect(throws: NSError.self) {
        try TestedStore.binary.open(SampleStack.makeModel(), at: binary)
      }
    }
  }
}
