import CoreData
import Testing

@Suite struct RoundTripTests {
  private func object(_ entity: String, _ name: String, _ store: OpenStore) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: store.context)
    object.setValue(name, forKey: "name")
    return object
  }

  private func fetch(_ entity: String, _ store: OpenStore) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try store.context.fetch(request)
  }

  private func names(_ value: Any?) -> [String] {
    if let ordered = value as? NSOrderedSet {
      return ordered.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
    }
    return (value as? Set<NSManagedObject> ?? [])
      .compactMap { $0.value(forKey: "name") as? String }.sorted()
  }

  /// Calls `first` with a store in a file, then `second` with a store that opens the file after the first was closed,
  /// and finally `sql` with the file.
  private func twice(
    _ first: (OpenStore) throws -> Void, then second: (OpenStore) throws -> Void,
    sql: ((PlainDatabase) throws -> Void)? = nil
  ) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait { try first(store) }
    try store.close()
    let again = try OpenStore(url, SampleStore.model())
    try again.context.performAndWait { try second(again) }
    try again.close()
    try sql?(PlainDatabase(url))
  }

  @Test("A predicate through relationships finds saved objects")
  func savedObjectsAreFound() throws {
    try twice { store in
      let team = object("Team", "Red", store)
      for number in 0..<10 {
        let player = object("Player", "P\(number)", store)
        player.setValue(20 + number, forKey: "age")
        if number % 2 == 0 { player.setValue(team, forKey: "team") }
      }
      try store.context.save()
    } then: { (store: OpenStore) throws -> Void in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "age > %d AND team.name BEGINSWITH[c] %@", 22, "r")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
      let found = try store.context.fetch(request)
      #expect(found.map { $0.value(forKey: "name") as? String } == ["P8", "P6", "P4"])
      let teams = NSFetchRequest<NSManagedObject>(entityName: "Team")
      teams.predicate = NSPredicate(format: "ANY players.age == 28 AND players.@count == 5")
      let team = try store.context.fetch(teams).first
      #expect(names(team?.value(forKey: "players")) == ["P0", "P2", "P4", "P6", "P8"])
    }
  }

  @Test("Values of each type are read unchanged, and nil as nil")
  func values() throws {
    let badge = UUID()
    let values: [(String, any Hashable & Sendable)] = [
      ("name", "Zoë — 北京 🏃"), ("age", Int16.min), ("height", 1.8125e-300),
      ("weight", Float(72.3)), ("born", Date(timeIntervalSinceReferenceDate: -3_000_000_000.25)),
      ("photo", Data([0, 255, 1])), ("portrait", Data([2, 0, 1])), ("badge", badge),
      ("number", Int64.min),
    ]
    try twice { store in
      let player = object("Player", "", store)
      for (key, value) in values { player.setValue(value, forKey: key) }
      player.setValue(true, forKey: "isActive")
      player.setValue(NSDecimalNumber(string: "-1234.5"), forKey: "fee")
      player.setValue(URL(string: "https://example.org/a?b=c#d"), forKey: "page")
      _ = NSEntityDescription.insertNewObject(forEntityName: "Player", into: store.context)
      let empty = object("Player", "", store)
      empty.setValue(Data(), forKey: "photo")
      empty.setValue(Data(), forKey: "portrait")
      try store.context.save()
    } then: { (store: OpenStore) throws -> Void in
      let players = try fetch("Player", store)
      #expect(players.count == 3)
      let (none, empty, full) = (players[0], players[1], players[2])
      for (key, value) in values {
        #expect(full.value(forKey: key) as? AnyHashable == AnyHashable(value), "\(key)")
        if key != "name" && key != "photo" && key != "portrait" {
          #expect(empty.value(forKey: key) == nil)
        }
        #expect(none.value(forKey: key) == nil)
      }
      #expect(full.value(forKey: "isActive") as? Bool == true)
      #expect(empty.value(forKey: "isActive") == nil)
      #expect(full.value(forKey: "fee") as? NSDecimalNumber == NSDecimalNumber(string: "-1234.5"))
      #expect(full.value(forKey: "page") as? URL == URL(string: "https://example.org/a?b=c#d"))
      #expect(empty.value(forKey: "name") as? String == "")
      #expect(empty.value(forKey: "photo") as? Data == Data())
      #expect(empty.value(forKey: "portrait") as? Data == Data())
    } sql: { (database: PlainDatabase) throws -> Void in
      let row = try database.rows(
        "SELECT typeof(ZBORN) b, ZPORTRAIT p, ZBADGE u, typeof(ZFEE) f FROM ZPLAYER WHERE ZAGE < 0")
      #expect(row.first?["b"] == .text("real"))
      #expect(row.first?["f"] == .text("real"))
      // An attribute that allows external storage has a marker byte before its data.
      #expect(row.first?["p"] == .blob(Data([1, 2, 0, 1])))
      #expect(row.first?["u"] == .blob(withUnsafeBytes(of: badge.uuid) { Data($0) }))
    }
  }

  @Test("Both sides of each kind of relationship are saved")
  func inverses() throws {
    try twice { store in
      let team = object("Team", "Red", store)
      let ada = object("Player", "Ada", store)
      let bea = object("Captain", "Bea", store)
      let clubs = ["x", "y", "z"].map { object("Club", $0, store) }
      team.setValue(Set([ada, bea]), forKey: "players")
      ada.setValue(Set([bea]), forKey: "friends")
      ada.setValue(NSOrderedSet(array: [clubs[2], clubs[0], clubs[1]]), forKey: "clubs")
      clubs[0].setValue(Set([ada, bea]), forKey: "players")
      #expect(ada.value(forKey: "team") as? NSManagedObject === team)
      #expect(names(bea.value(forKey: "friends")) == ["Ada"])
      try store.context.save()
    } then: { (store: OpenStore) throws -> Void in
      let players = try fetch("Player", store)
      #expect(players.map { $0.entity.name } == ["Player", "Captain"])
      let (ada, bea) = (players[0], players[1])
      #expect(
        (ada.value(forKey: "team") as? NSManagedObject)?.value(forKey: "name") as? String == "Red")
      #expect(names(ada.value(forKey: "friends")) == ["Bea"])
      #expect(names(bea.value(forKey: "friends")) == ["Ada"])
      #expect(names(ada.value(forKey: "clubs")) == ["z", "x", "y"])
      #expect(names(bea.value(forKey: "clubs")) == ["x"])
      #expect(names(try fetch("Club", store)[0].value(forKey: "players")) == ["Ada", "Bea"])
      // Removes the relationships again.
      ada.setValue(nil, forKey: "team")
      ada.setValue(Set<NSManagedObject>(), forKey: "friends")
      try store.context.save()
      store.context.reset()
      let team = try fetch("Team", store)[0]
      #expect(names(team.value(forKey: "players")) == ["Bea"])
      #expect(names(try fetch("Player", store)[1].value(forKey: "friends")) == [])
    } sql: { (database: PlainDatabase) throws -> Void in
      #expect(try database.values("SELECT COUNT(*) FROM Z_3FRIENDS") == [[.integer(0)]])
    }
  }

  @Test("Ordered members get 2048, 3072, …, and one inserted between two gets a number in between")
  func orderNumbers() throws {
    try twice { store in
      let team = object("Team", "Red", store)
      team.setValue(
        NSOrderedSet(array: ["a", "b", "c"].map { object("Fan", $0, store) }), forKey: "fans")
      try store.context.save()
    } then: { (store: OpenStore) throws -> Void in
      let team = try fetch("Team", store)[0]
      #expect(names(team.value(forKey: "fans")) == ["a", "b", "c"])
      let fans = NSMutableOrderedSet(
        orderedSet: try #require(team.value(forKey: "fans") as? NSOrderedSet))
      fans.insert(object("Fan", "between", store), at: 1)
      fans.insert(object("Fan", "first", store), at: 0)
      team.setValue(fans, forKey: "fans")
      try store.context.save()
      store.context.reset()
      #expect(
        names(try fetch("Team", store)[0].value(forKey: "fans"))
          == ["first", "a", "between", "b", "c"])
    } sql: { (database: PlainDatabase) throws -> Void in
      let rows = try database.values("SELECT ZNAME, Z_FOK_TEAM FROM ZFAN ORDER BY Z_FOK_TEAM")
      #expect(
        rows == [
          [.text("first"), .integer(1024)], [.text("a"), .integer(2048)],
          [.text("between"), .integer(2560)], [.text("b"), .integer(3072)],
          [.text("c"), .integer(4096)],
        ])
    }
  }

  @Test("Versions start at 1, and keys are never reused")
  func versionsAndKeys() throws {
    try twice { store in
      let club = object("Club", "a", store)
      try store.context.save()
      for name in ["b", "c"] {
        club.setValue(name, forKey: "name")
        try store.context.save()
      }
      let other = object("Club", "gone", store)
      try store.context.save()
      store.context.delete(other)
      try store.context.save()
    } then: { (store: OpenStore) throws -> Void in
      #expect(object("Club", "later", store).objectID.isTemporaryID)
      try store.context.save()
    } sql: { (database: PlainDatabase) throws -> Void in
      #expect(
        try database.values("SELECT Z_PK, Z_OPT, ZNAME FROM ZCLUB ORDER BY 1") == [
          [.integer(1), .integer(3), .text("c")], [.integer(3), .integer(1), .text("later")],
        ])
      #expect(
        try database.values("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Club'")
          == [[.integer(3)]])
    }
  }

  @Test("A rollback reverts inserts, changes and deletions")
  func rollback() throws {
    try twice { store in
      let (a, b) = (object("Club", "a", store), object("Club", "b", store))
      try store.context.save()
      a.setValue("changed", forKey: "name")
      store.context.delete(b)
      _ = object("Club", "new", store)
      store.context.rollback()
      #expect(!store.context.hasChanges)
      #expect(a.value(forKey: "name") as? String == "a")
      #expect(try fetch("Club", store).map { $0.value(forKey: "name") as? String } == ["a", "b"])
      try store.context.save()
    } then: { (store: OpenStore) throws -> Void in
      #expect(try fetch("Club", store).count == 2)
    }
  }

  @Test("Deletions nullify, cascade or are denied according to the rules")
  func deleteRules() throws {
    try twice { store in
      let team = object("Team", "Red", store)
      object("Player", "Ada", store).setValue(team, forKey: "team")
      object("Fan", "Fay", store).setValue(team, forKey: "team")
      let sponsor = object("Sponsor", "Sam", store)
      sponsor.setValue(team, forKey: "team")
      try store.context.save()
      store.context.delete(team)
      let error = failure { try store.context.save() }
      #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
      store.context.rollback()
      sponsor.setValue(nil, forKey: "team")
      store.context.delete(team)
      try store.context.save()
    } then: { (store: OpenStore) throws -> Void in
      #expect(try fetch("Team", store).isEmpty)
      #expect(try fetch("Player", store).isEmpty)
      #expect(try fetch("Fan", store).count == 1)
      #expect(try fetch("Sponsor", store).count == 1)
    } sql: { (database: PlainDatabase) throws -> Void in
      #expect(try database.values("SELECT ZTEAM, Z_FOK_TEAM FROM ZFAN") == [[.null, .null]])
    }
  }

  @Test("If two coordinators change a row, the second save throws and writes nothing")
  func conflict() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    let one = try OpenStore(url, SampleStore.model())
    try one.context.performAndWait {
      _ = object("Club", "a", one)
      try one.context.save()
    }
    let two = try OpenStore(url, SampleStore.model())
    // This coordinator reads the row before the other one changes it.
    let read = try two.context.performAndWait { try fetch("Club", two) }
    two.context.performAndWait {
      #expect(read.map { $0.value(forKey: "name") as? String } == ["a"])
    }
    try one.context.performAndWait {
      try fetch("Club", one)[0].setValue("one", forKey: "name")
      try one.context.save()
    }
    try two.context.performAndWait {
      let club = try #require(read.first)
      club.setValue("two", forKey: "name")
      _ = object("Club", "not written", two)
      let error = failure { try two.context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      let conflicts = error?.userInfo["conflictList"] as? [NSMergeConflict] ?? []
      #expect(conflicts.count == 1)
      #expect(conflicts.first?.sourceObject === club)
      #expect(conflicts.first?.oldVersionNumber == 1)
      #expect(conflicts.first?.newVersionNumber == 2)
      #expect(two.context.hasChanges)
      #expect(
        try PlainDatabase(url).values("SELECT ZNAME, Z_OPT FROM ZCLUB")
          == [[.text("one"), .integer(2)]])
      // After a rollback and a refresh, the second coordinator sees the first one's save.
      two.context.rollback()
      two.context.refreshAllObjects()
      #expect(try fetch("Club", two).map { $0.value(forKey: "name") as? String } == ["one"])
    }
    try one.close()
    try two.close()
  }

  @Test("This library's triggers maintain derived counts like Apple's")
  func derivedCount() throws {
    let model = SampleStore.model()
    let count = NSDerivedAttributeDescription()
    count.name = "playerCount"
    count.attributeType = .integer64AttributeType
    count.isOptional = true
    count.derivationExpression = NSExpression(format: "players.@count")
    model.entitiesByName["Team"]?.properties.append(count)
    let folder = try TemporaryFolder()
    let store = try OpenStore(folder.file("Store.sqlite"), model)
    try store.context.performAndWait {
      let (red, blue) = (object("Team", "Red", store), object("Team", "Blue", store))
      let players = ["a", "b", "c"].map { object("Player", $0, store) }
      for player in players { player.setValue(red, forKey: "team") }
      try store.context.save()
      players[0].setValue(blue, forKey: "team")
      store.context.delete(players[1])
      try store.context.save()
      store.context.reset()
      #expect(try fetch("Team", store).map { $0.value(forKey: "playerCount") as? Int } == [1, 1])
    }
    try store.close()
  }
}
