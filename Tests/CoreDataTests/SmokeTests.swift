import CoreData
import FixtureSupport
import Testing

@Suite struct SmokeTests {
  @Test func saveAndFetch() throws {
    let model = NSManagedObjectModel()
    let person = NSEntityDescription()
    person.name = "Person"
    let name = NSAttributeDescription()
    name.name = "name"; name.attributeType = .stringAttributeType
    let age = NSAttributeDescription()
    age.name = "age"; age.attributeType = .integer16AttributeType
    let team = NSEntityDescription()
    team.name = "Team"
    let tn = NSAttributeDescription(); tn.name = "name"; tn.attributeType = .stringAttributeType
    let players = NSRelationshipDescription(); players.name = "players"; players.destinationEntity = person
    let teamRel = NSRelationshipDescription(); teamRel.name = "team"; teamRel.maxCount = 1; teamRel.destinationEntity = team
    players.inverseRelationship = teamRel; teamRel.inverseRelationship = players
    person.properties = [name, age, teamRel]
    team.properties = [tn, players]
    model.entities = [person, team]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let t = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
      t.setValue("Red", forKey: "name")
      for i in 0..<10 {
        let p = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        p.setValue("P\(i)", forKey: "name")
        p.setValue(20 + i, forKey: "age")
        if i % 2 == 0 { p.setValue(t, forKey: "team") }
      }
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      request.predicate = NSPredicate(format: "age > %d AND team.name BEGINSWITH[c] %@", 22, "r")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
      let found = try context.fetch(request)
      #expect(found.map { $0.value(forKey: "name") as? String } == ["P8", "P6", "P4"])
      let tr = NSFetchRequest<NSManagedObject>(entityName: "Team")
      tr.predicate = NSPredicate(format: "ANY players.age == 28 AND players.@count == 5")
      let teams = try context.fetch(tr)
      #expect(teams.count == 1)
      #expect((teams.first?.value(forKey: "players") as? Set<NSManagedObject>)?.count == 5)
    }
  }

  @Test(.enabled(if: Fixtures.areAvailable)) func fixtures() throws {
    for row in try Fixtures.table("INDEX.tsv") where row["kind"] == "store" {
      let file = row["file"]!
      let dir = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: dir, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: dir) }
      let source = Fixtures.url(file)
      let copy = dir.appendingPathComponent(source.lastPathComponent)
      try FileManager.default.copyItem(at: source, to: copy)
      if FileManager.default.fileExists(atPath: source.path + "-wal") {
        try FileManager.default.copyItem(atPath: source.path + "-wal", toPath: copy.path + "-wal")
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path)
      if FileManager.default.fileExists(atPath: copy.path + "-wal") { try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path + "-wal") }
      do {
        let cached = try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: copy)
        let model = try cached ?? NSPersistentStoreCoordinator.inferredModel(ofStoreAt: copy)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: copy, options: cached == nil ? [NSIgnorePersistentStoreVersioningOption: NSNumber(value: true)] : nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
          var n = 0
          for entity in model.entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name!)
            request.includesSubentities = false
            for object in try context.fetch(request) {
              n += 1
              for p in object.entity.properties { _ = object.value(forKey: p.name) }
            }
          }
          print(file, n)
        }
      } catch {
        Issue.record("\(file): \(error.localizedDescription)")
      }
    }
  }
}
