import CoreData
import Testing

/// `object(at:)` for missing rows, and `indexPath(forObject:)` for objects outside the results.
@Suite("Index paths of fetched results")
struct ResultsPlaceTests {
  /// Reads the object at an index path of results with two players.
  private static func read(_ place: IndexPath, limit: Int = 0, isFetched: Bool = true) throws {
    try SampleStack.withContext { context in
      for age in 0..<2 { context.insert("Player", ["age": age]) }
      try context.save()
      let controller = LiveScene.Request(limit: limit).controller(in: context)
      if isFetched { try controller.performFetch() }
      _ = controller.object(at: place)
    }
  }

  @Test("stop the program before the first fetch, with a specific message")
  func beforeFetch() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Self.read(IndexPath(row: 0, section: 0), isFetched: false)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("no object at index 0.0 of the fetched results: performFetch was not"))
  }

  @Test(
    "stop the program for a missing row or section, with a message that contains the index path")
  func missing() async {
    let row = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Self.read(IndexPath(row: 2, section: 0))
    }
    let rowText = String(decoding: row?.standardErrorContent ?? [], as: UTF8.self)
    #expect(rowText.contains("no object at index 0.2 of the fetched results"))
    let section = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Self.read(IndexPath(row: 0, section: 1))
    }
    let sectionText = String(decoding: section?.standardErrorContent ?? [], as: UTF8.self)
    #expect(sectionText.contains("no object at index 1.0 of the fetched results"))
    let number = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Self.read(IndexPath(index: 0))
    }
    let numberText = String(decoding: number?.standardErrorContent ?? [], as: UTF8.self)
    #expect(numberText.contains("no object at index 0 of the fetched results"))
  }

  @Test("stop the program for a row outside the limit")
  func outsideLimit() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Self.read(IndexPath(row: 1, section: 0), limit: 1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("no object at index 0.1 of the fetched results"))
  }

  @Test("are nil for objects outside the results and rows outside the window", .onEveryStore)
  func noIndexPath() throws {
    let players = (0..<4).map { ("p\($0)", $0 * 10) }
    let request = LiveScene.Request(
      predicate: NSPredicate(format: "age < 30"), limit: 1, offset: 1)
    try LiveScene.run(players, request) { scene in
      let context = scene.context
      let all = try context.all("Player", sort: ["age"])
      let team = context.insert("Team", ["name": "Red"])
      let first = IndexPath(row: 0, section: 0)
      func places(_ controller: NSFetchedResultsController<NSManagedObject>) -> [IndexPath?] {
        (all + [team]).map { controller.indexPath(forObject: $0) }
      }
      #expect(places(request.controller(in: context)) == [nil, nil, nil, nil, nil])
      #expect(places(scene.controller) == [nil, first, nil, nil, nil])
      context.insert("Player", ["name": "first", "age": -1])
      #expect(scene.report() == ["-0.0", "+0.0"])
      #expect(places(scene.controller) == [first, nil, nil, nil, nil])
      context.delete(all[0])
      #expect(scene.report() == ["-0.0", "+0.0"])
      #expect(places(scene.controller) == [nil, first, nil, nil, nil])
      try context.save()
      #expect(places(scene.controller) == [nil, first, nil, nil, nil])
    }
  }

  @Test("are nil for IDs outside the results", .onEveryStore)
  func noIndexPathOfID() throws {
    try SampleStack.withContext { context in
      let players = (0..<2).map { context.insert("Player", ["age": $0]) }
      let team = context.insert("Team", ["name": "Red"])
      try context.save()
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
      request.resultType = .managedObjectIDResultType
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      request.predicate = NSPredicate(format: "age > 0")
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      #expect(controller.indexPath(forObject: players[1].objectID) == nil)
      try controller.performFetch()
      #expect(controller.indexPath(forObject: players[0].objectID) == nil)
      #expect(
        controller.indexPath(forObject: players[1].objectID) == IndexPath(row: 0, section: 0))
      #expect(controller.indexPath(forObject: team.objectID) == nil)
    }
  }
}
