import CoreData
import Testing

@Suite struct MigratingStoresTests {
  private func fill(_ context: NSManagedObjectContext) throws {
    try context.performAndWait {
      let team = context.insert(
        "Team", ["name": "Reds", "founded": Date(timeIntervalSince1970: 7)])
      let tags = (1...3).map { context.insert("Tag", ["label": "tag\($0)"]) }
      for number in 1...5 {
        let player = context.insert(
          number == 1 ? "Captain" : "Player",
          ["name": "p\(number)", "age": number, "score": Double(number) / 3])
        player.setValue(team, forKey: "team")
        player.setValue(Set(tags.prefix(number % 3 + 1)), forKey: "tags")
      }
      team.setValue(
        NSOrderedSet(array: ["c", "a", "b"].map { context.insert("Trophy", ["title": $0]) }),
        forKey: "trophies")
      context.insert("Locker", ["number": 9]).setValue(
        try context.all("Player", sort: ["name"]).first, forKey: "owner")
      try context.save()
    }
  }

  /// Returns a description of the sample graph without IDs.
  private func text(_ context: NSManagedObjectContext) throws -> [String] {
    return try context.performAndWait {
      var lines: [String] = []
      for team in try context.all("Team") {
        let trophies = (team.value(forKey: "trophies") as? NSOrderedSet)?.array ?? []
        lines.append("\(team["name"] ?? "-") \(team["founded"] as Date?, default: "-")")
        lines += trophies.compactMap { ($0 as? NSManagedObject)?["title"] }
      }
      for player in try context.all("Player", sort: ["name"]) {
        let tags = (player["tags"] as Set<NSManagedObject>?)?.compactMap { $0["label"] as String? }
        let values =
          "\(player["name"] ?? "-") \(player["age"] as Int?, default: "-") \(player["score"] as Double?, default: "-")"
        let team = (player["team"] as NSManagedObject?)?["name"] ?? "-"
        let locker = (player["locker"] as NSManagedObject?)?["number"] ?? -1
        lines.append(
          "\(player.entity.name ?? "") \(values) \(tags?.sorted() ?? []) \(team) \(locker)")
      }
      return lines
    }
  }

  @Test("A store of every kind can migrate to every kind with all its content")
  func everyKindToEveryKind() throws {
    var expected: [String] = []
    try onEveryStore { from, folder in
      for to in TestedStore.allCases {
        let (store, context) = try from.open(
          SampleStack.makeModel(), at: from.url(in: folder, "from-\(to)"))
        try fill(context)
        let uuid = store.identifier
        let before = try text(context)
        if expected.isEmpty { expected = before }
        #expect(before == expected)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let new = try coordinator.migratePersistentStore(
          store, to: to.url(in: folder, "to-\(from)"), withType: to.type)
        #expect(new.type == to.type)
        #expect(new.identifier != uuid)
        #expect(coordinator.persistentStores == [new])
        try context.performAndWait {
          context.reset()
          #expect(try text(context) == expected, "\(from) to \(to)")
          // The migrated store can be changed.
          context.insert("Team", ["name": "Blues"])
          try context.save()
        }
        guard to.isFile else { continue }
        let (_, other) = try to.open(SampleStack.makeModel(), at: try #require(new.url))
        try other.performAndWait { () throws in
          #expect(try other.all("Team").count == 2, "\(from) to \(to)")
          #expect(try other.all("Player").count == 5)
        }
      }
    }
  }

  @Test("Registered objects and unsaved changes move to a new SQLite file")
  func registeredObjects() throws {
    let folder = try TemporaryFolder()
    for from in [TestedStore.sqlite, .xml, .inMemory, .memorySQLite] {
      let (store, context) = try from.open(
        SampleStack.makeModel(), at: from.url(in: folder, "\(from)"))
      try context.performAndWait {
        let team = context.insert("Team", ["name": "Reds"])
        try context.save()
        let oldURI = team.objectID.uriRepresentation()
        team["name"] = "Blues"
        let coordinator = try #require(context.persistentStoreCoordinator)
        let new = try coordinator.migratePersistentStore(
          store, to: folder.file("\(from)-new.sqlite"), type: .sqlite)
        #expect(team.objectID.persistentStore === new)
        #expect(team.objectID.uriRepresentation() != oldURI)
        #expect(coordinator.managedObjectID(forURIRepresentation: oldURI) == nil)
        #expect(
          coordinator.managedObjectID(forURIRepresentation: team.objectID.uriRepresentation())
            == team.objectID)
        try context.save()
      }
      let (_, other) = try TestedStore.sqlite.open(
        SampleStack.makeModel(), at: folder.file("\(from)-new.sqlite"))
      try other.performAndWait { () throws in
        #expect(try other.all("Team").map { $0["name"] } == ["Blues"])
      }
    }
  }

  @Test(
    "An object that was saved several times can be changed and saved after its store moved",
    arguments: TestedStore.everyKind)
  func versionsOfRows(from: TestedStore) throws {
    let folder = try TemporaryFolder()
    let (store, context) = try from.open(
      SampleStack.makeModel(), at: from.url(in: folder, "source"))
    let target = folder.file("target.sqlite")
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Reds"])
      let player = context.insert("Player", ["name": "p", "team": team])
      let removed = context.insert("Player", ["name": "removed", "team": team])
      try context.save()
      for number in 1...3 {
        team["name"] = "Reds \(number)"
        try context.save()
      }
      let coordinator = try #require(context.persistentStoreCoordinator)
      try coordinator.migratePersistentStore(store, to: target, type: .sqlite)
      for number in 1...3 {
        team["name"] = "Blues \(number)"
        player["name"] = "p \(number)"
        if number == 2 { context.delete(removed) }
        try context.save()
      }
    }
    let (_, other) = try TestedStore.sqlite.open(SampleStack.makeModel(), at: target)
    try other.performAndWait { () throws in
      #expect(try other.all("Team").map { $0["name"] } == ["Blues 3"])
      #expect(try other.all("Player").map { $0["name"] } == ["p 3"])
    }
  }

  @Test("Migrating into an existing store adds the objects to it")
  func existingStore() throws {
    let folder = try TemporaryFolder()
    let target = folder.file("target.sqlite")
    let (_, first) = try TestedStore.sqlite.open(SampleStack.makeModel(), at: target)
    try first.performAndWait {
      first.insert("Team", ["name": "Greens"])
      try first.save()
    }
    let (store, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("source.sqlite"))
    try fill(context)
    let coordinator = try #require(context.persistentStoreCoordinator)
    try coordinator.migratePersistentStore(store, to: target, type: .sqlite)
    try first.performAndWait { () throws in
      first.reset()
      #expect(try first.all("Team", sort: ["name"]).map { $0["name"] } == ["Greens", "Reds"])
      #expect(try first.all("Player", "team.name == 'Reds'").count == 5)
    }
  }

  @Test("A failed migration leaves the store open and creates no file")
  func failedMigration() throws {
    let folder = try TemporaryFolder()
    let (store, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("source.sqlite"))
    try fill(context)
    let before = try text(context)
    let coordinator = try #require(context.persistentStoreCoordinator)
    // A file where the folder would be.
    try Data().write(to: folder.file("missing"))
    let nowhere = folder.file("missing").appendingPathComponent("new.sqlite")
    for type in [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType] {
      #expect(throws: NSError.self) {
        try coordinator.migratePersistentStore(store, to: nowhere, withType: type)
      }
    }
    #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(store, to: folder.file("source.sqlite"), type: .sqlite)
    }
    #expect(coordinator.persistentStores == [store])
    context.performAndWait {
      context.reset()
    }
    #expect(try text(context) == before)
  }
}
