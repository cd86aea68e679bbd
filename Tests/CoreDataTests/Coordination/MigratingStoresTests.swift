import Testing

@testable import CoreData

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

  @Test("A store of any kind can migrate to any kind with all its content")
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

  @Test(
    "The objects of a custom store move with all their values",
    arguments: [TestedStore.ownAtomic, .ownIncremental, .keyValue], TestedStore.allCases)
  func customStores(from: TestedStore, to: TestedStore) throws {
    let folder = try TemporaryFolder()
    let (store, context) = try from.open(
      SampleStack.makeModel(), at: from.url(in: folder, "source"))
    try fill(context)
    let expected = try text(context)
    let coordinator = try #require(context.persistentStoreCoordinator)
    try coordinator.migratePersistentStore(
      store, to: to.url(in: folder, "target"), withType: to.type)
    context.performAndWait { context.reset() }
    #expect(try text(context) == expected)
  }

  @Test("A store is not moved to an existing store that has the UUID of an open one")
  func openIdentifiers() throws {
    try onEveryStore(TestedStore.fileKinds) { kind, folder in
      let model = SampleStack.makeModel()
      let (original, copy) = (kind.url(in: folder, "original"), kind.url(in: folder, "copy"))
      let (made, first) = try kind.open(model, at: original)
      try fill(first)
      try first.persistentStoreCoordinator?.remove(made)
      try FileManager.default.copyItem(at: original, to: copy)
      let (store, context) = try kind.open(model, at: original)
      let coordinator = try #require(context.persistentStoreCoordinator)
      let other = try coordinator.addPersistentStore(
        ofType: kind.type, configurationName: nil, at: kind.url(in: folder, "other"))
      for moved in [store, other] {
        let error = #expect(throws: NSError.self) {
          try coordinator.migratePersistentStore(moved, to: copy, withType: kind.type)
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("\(copy.path) has the UUID") == true)
        #expect(coordinator.persistentStores == [store, other])
      }
      let (_, unchanged) = try kind.open(model, at: copy)
      #expect(try unchanged.performAndWait { try unchanged.all("Player").count } == 5)
    }
  }

  @Test(
    "A store that cannot be the destination of a move is not opened",
    arguments: [TestedStore.ownAtomic, .ownIncremental], TestedStore.allCases)
  func customDestinations(to: TestedStore, from: TestedStore) throws {
    let folder = try TemporaryFolder()
    let (store, context) = try from.open(
      SampleStack.makeModel(), at: from.url(in: folder, "source"))
    try fill(context)
    let coordinator = try #require(context.persistentStoreCoordinator)
    let target = to.url(in: folder, "target")
    let error = #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(store, to: target, withType: to.type)
    }
    #expect(error?.code == NSPersistentStoreOperationError)
    #expect(error?.localizedDescription.contains("because it is a custom store") == true)
    #expect(coordinator.persistentStores == [store])
    #expect(!FileManager.default.fileExists(atPath: target.path))
    #expect(try context.performAndWait { try context.all("Player").count } == 5)
  }

  @Test(
    "After a custom store moved to a file, URIs identify the same objects when it is opened again",
    arguments: [TestedStore.ownAtomic, .ownIncremental])
  func customURIs(from: TestedStore) throws {
    let folder = try TemporaryFolder()
    let (store, context) = try from.open(
      SampleStack.makeModel(), at: from.url(in: folder, "source"))
    let target = folder.file("target.sqlite")
    let coordinator = try #require(context.persistentStoreCoordinator)
    let uris = try context.performAndWait {
      let old = context.insert("Team", ["name": "Reds"])
      try context.save()
      try coordinator.migratePersistentStore(store, to: target, type: .sqlite)
      let new = (1...3).map { context.insert("Team", ["name": "Blues \($0)"]) }
      try context.save()
      return ([old] + new).map { team in
        let uri = team.objectID.uriRepresentation()
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == team.objectID)
        return uri
      }
    }
    let (_, other) = try TestedStore.sqlite.open(SampleStack.makeModel(), at: target)
    try other.performAndWait {
      let names = try uris.map { uri -> String? in
        let id = other.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
        return try other.existingObject(with: try #require(id))["name"]
      }
      #expect(names == ["Reds", "Blues 1", "Blues 2", "Blues 3"])
    }
  }

  @Test("A store that moved to a SQLite file assigns no ID twice", arguments: TestedStore.everyKind)
  func idsOfNewRows(from: TestedStore) throws {
    let folder = try TemporaryFolder()
    let (store, context) = try from.open(
      SampleStack.makeModel(), at: from.url(in: folder, "source"))
    let target = folder.file("target.sqlite")
    try context.performAndWait {
      context.insert("Tag", ["label": "a"])
      let removed = context.insert("Tag", ["label": "b"])
      try context.save()
      let removedID = removed.objectID
      context.delete(removed)
      try context.save()
      let unsaved = context.insert("Tag", ["label": "c"])
      try context.obtainPermanentIDs(for: [unsaved])
      let id = unsaved.objectID
      let coordinator = try #require(context.persistentStoreCoordinator)
      try coordinator.migratePersistentStore(store, to: target, type: .sqlite)
      let new = (1...3).map { context.insert("Tag", ["label": "new \($0)"]) }
      try context.save()
      #expect(unsaved.objectID == id)
      #expect(unsaved["label"] == "c")
      let ids = [removedID, id] + new.map(\.objectID)
      #expect(Set(ids).count == ids.count)
    }
    let (_, other) = try TestedStore.sqlite.open(SampleStack.makeModel(), at: target)
    try other.performAndWait { () throws in
      #expect(
        try other.all("Tag", sort: ["label"]).map { $0["label"] } == [
          "a", "c", "new 1", "new 2", "new 3",
        ])
    }
    #expect(try NSPersistentStoreCoordinator.verifyPersistentStore(at: target).isIntact)
  }

  @Test(
    "An unsaved object with a permanent ID of a removed store is not saved to another store",
    arguments: TestedStore.everyKind)
  func idOfFormerStore(from: TestedStore) throws {
    let folder = try TemporaryFolder()
    let (store, context) = try from.open(
      SampleStack.makeModel(), at: from.url(in: folder, "source"))
    let target = folder.file("target.xml")
    try context.performAndWait {
      context.insert("Team", ["name": "Reds"])
      try context.save()
      let unsaved = context.insert("Tag", ["label": "a"])
      try context.obtainPermanentIDs(for: [unsaved])
      let coordinator = try #require(context.persistentStoreCoordinator)
      try coordinator.migratePersistentStore(store, to: target, type: .xml)
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.localizedDescription.contains("store is not reachable") == true)
      context.rollback()
      context.insert("Tag", ["label": "b"])
      try context.save()
    }
    let (_, other) = try TestedStore.xml.open(SampleStack.makeModel(), at: target)
    try other.performAndWait { () throws in
      #expect(try other.all("Tag").map { $0["label"] } == ["b"])
      #expect(try other.all("Team").map { $0["name"] } == ["Reds"])
    }
  }

  @Test("New objects that were assigned to a store are saved to the store that replaces it")
  func assignedObjects() throws {
    let folder = try TemporaryFolder()
    let (first, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("first.sqlite"))
    let coordinator = try #require(context.persistentStoreCoordinator)
    let second = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("second.sqlite"))
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Reds"])
      context.assign(team, to: second)
      let new = try coordinator.migratePersistentStore(
        second, to: folder.file("new.sqlite"), type: .sqlite)
      try context.save()
      #expect(team.objectID.persistentStore === new)
      #expect(coordinator.persistentStores == [first, new])
    }
  }

  @Test("Objects are not moved to a store that the coordinator has open")
  func openStore() throws {
    let folder = try TemporaryFolder()
    let (first, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("first.sqlite"))
    let coordinator = try #require(context.persistentStoreCoordinator)
    let second = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("second.sqlite"))
    try fill(context)
    let error = #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(first, to: folder.file("second.sqlite"), type: .sqlite)
    }
    #expect(error?.localizedDescription.contains("second.sqlite open") == true)
    #expect(coordinator.persistentStores == [first, second])
    #expect(try context.performAndWait { try context.all("Player").count } == 5)
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

  @Test("No objects are added to an existing store if the metadata cannot be written")
  func unwritableMetadata() throws {
    for to in TestedStore.allCases where to.isFile {
      let folder = try TemporaryFolder()
      let target = to.url(in: folder, "target")
      _ = try to.open(SampleStack.makeModel(), at: target)
      let (store, context) = try TestedStore.sqlite.open(
        SampleStack.makeModel(), at: folder.file("source.sqlite"))
      try fill(context)
      // No file can contain such a date.
      store.metadata["due"] = Date(timeIntervalSinceReferenceDate: .infinity)
      let coordinator = try #require(context.persistentStoreCoordinator)
      #expect(throws: NSError.self) {
        try coordinator.migratePersistentStore(store, to: target, withType: to.type)
      }
      #expect(coordinator.persistentStores == [store])
      let (_, reader) = try to.open(SampleStack.makeModel(), at: target)
      #expect(try reader.performAndWait { try reader.all("Player").count } == 0, "\(to)")
    }
  }

  @Test(
    "Metadata that another process wrote moves with the objects", arguments: TestedStore.allCases)
  func foreignMetadata(to: TestedStore) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("source.sqlite")
    let (store, context) = try TestedStore.sqlite.open(SampleStack.makeModel(), at: url)
    try fill(context)
    store.metadata["own"] = "unsaved"
    var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite, at: url)
    metadata["foreign"] = "saved"
    try NSPersistentStoreCoordinator.setMetadata(metadata, type: .sqlite, at: url)
    let coordinator = try #require(context.persistentStoreCoordinator)
    let new = try coordinator.migratePersistentStore(
      store, to: to.url(in: folder, "target"), withType: to.type)
    #expect(new.metadata["own"] as? String == "unsaved")
    #expect(new.metadata["foreign"] as? String == "saved")
  }

  @Test("A store whose objects have moved is removed even if it cannot be closed")
  func unclosedStore() throws {
    let folder = try TemporaryFolder()
    let (store, context) = try TestedStore.keyValue.open(
      SampleStack.makeModel(), at: TestedStore.keyValue.url(in: folder))
    try fill(context)
    let expected = try text(context)
    let engine = try #require(store.engine as? KeyValueEngine)
    engine.closingError = CocoaError(.fileWriteUnknown)
    let coordinator = try #require(context.persistentStoreCoordinator)
    let new = try coordinator.migratePersistentStore(
      store, to: folder.file("new.sqlite"), type: .sqlite)
    #expect(coordinator.persistentStores == [new])
    context.performAndWait { context.reset() }
    #expect(try text(context) == expected)
  }

  @Test("An observer of a migration can remove the store whose objects have moved")
  func removingObserver() throws {
    let folder = try TemporaryFolder()
    let (store, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("old.sqlite"))
    let coordinator = try #require(context.persistentStoreCoordinator)
    let token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
    ) { note in
      guard note.userInfo?[NSUUIDChangedPersistentStoresKey] != nil else { return }
      #expect(throws: Never.self) { try coordinator.remove(store) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let new = try coordinator.migratePersistentStore(
      store, to: folder.file("new.sqlite"), type: .sqlite)
    #expect(coordinator.persistentStores == [new])
  }

  @Test("A failed migration leaves the store open and creates no file")
  func failedMigration() throws {
    let folder = try TemporaryFolder()
    let (store, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("source.sqlite"))
    try fill(context)
    let before = try text(context)
    let coordinator = try #require(context.persistentStoreCoordinator)
    // The new store's folder cannot be created where this file is.
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
