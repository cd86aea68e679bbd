import CoreData
import CoreDataTestSupport
import Synchronization
import Testing

/// Many contexts that save the same objects, and live results after resolved conflicts.
@Suite("Conflicts among many contexts")
struct ContentionTests {
  @Test("Contexts that keep saving one object all succeed, with every policy")
  func contention() throws {
    for policy in NSMergePolicy.resolving {
      let folder = try TemporaryFolder()
      let stack = try SampleStack(url: folder.file("store.sqlite"))
      let id = try stack.context.performAndWait {
        let player = stack.context.insert("Player", ["name": "Ann", "number": 0])
        try stack.context.save()
        return player.objectID
      }
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { worker in
        let context = stack.newContext()
        context.mergePolicy = policy
        context.performAndWait {
          do {
            let player = try context.existingObject(with: id)
            for step in 1...25 {
              player["number"] = worker * 100 + step
              player["name"] = "\(worker)"
              try context.save()
            }
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
        }
      }
      #expect(failures.withLock { $0 } == [], "\(policy.mergeType)")
      let row = try PlainDatabase(folder.file("store.sqlite"))
        .values("SELECT ZNUMBER, ZNAME, Z_OPT FROM ZPLAYER")
      let number = try #require(row.first?[0].integer)
      if policy === NSMergePolicy.overwrite {
        #expect(row[0][1].text == "\(number / 100)")
      }
      #expect((row[0][2].integer ?? 0) <= 101)
    }
  }

  @Test("Live results reflect resolved conflicts")
  func liveResults() throws {
    for policy in NSMergePolicy.resolving {
      let writers = try TwoWriters(
        model: ConstraintConflictTests.model(), policy: policy)
      let players = (0..<6).map { (number: Int) in
        writers.here.insert("Player", ["name": "p\(number)", "age": number])
      }
      try writers.here.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.predicate = NSPredicate(format: "age < 50")
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: writers.here, sectionNameKeyPath: nil,
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      let twins = try players.map { try writers.twin($0) }
      twins[0]["name"] = "z there"
      twins[0]["age"] = 10
      twins[1]["age"] = 60
      twins[1]["number"] = 1
      writers.there.delete(twins[2])
      twins[3]["name"] = "a there"
      writers.there.insert("Player", ["name": "new", "age": 7])
      try writers.there.save()
      players[0]["name"] = "y here"
      players[1]["score"] = 1.0
      players[2]["name"] = "x here"
      writers.here.delete(players[3])
      writers.here.insert("Player", ["name": "new", "age": 8])
      writers.here.insert("Player", ["name": "p5", "age": 55])
      writers.here.insert("Player", ["name": "other", "age": 9])
      try writers.here.save()
      writers.here.processPendingChanges()
      let text = "\(policy.mergeType)"
      let fetched = try writers.here.fetch(request)
      let names: [String] = (controller.fetchedObjects ?? []).map { $0["name"] ?? "" }
      #expect(names == fetched.map { $0["name"] ?? "" }, "\(text)")
      #expect(table.violations == [] && table.sections.first?.rows == fetched, "\(text)")
      let stored: [String] = try writers.reader().fetch(request).map { $0["name"] ?? "" }
      #expect(names == stored, "\(text)")
    }
  }
}
