import Foundation
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataExplorer

@Suite("Tables of the explorer")
struct TableAnswerTests {
  private func names(_ page: [String: Any], _ column: Int = 0) throws -> [String?] {
    let rows = try #require(page["rows"] as? [[String: Any]])
    return rows.map { ($0["cells"] as? [Any])?[column] as? String }
  }

  @Test("A page has rows, columns and the requested order")
  func page() async throws {
    let store = try ExploredStore()
    let page = try await store.json("/api/tables/Person?sort=-age&columns=lastName,age&limit=2")
    #expect(try names(page) == ["Cora", "Bob"])
    let columns = try #require(page["columns"] as? [[String: Any]])
    #expect(columns.map { $0["type"] as? String } == ["String", "Integer 16"])
    let filtered = try await store.json("/api/tables/Person?where=age+%3E+1&columns=lastName")
    #expect(try names(filtered) == ["Bob", "Cora"])
    let rows = try #require(filtered["rows"] as? [[String: Any]])
    #expect(rows[0]["id"] as? String == "p2" && rows[0]["label"] as? String == "Bob")
  }

  @Test("An error in a condition is reported with its position")
  func errors() async throws {
    let store = try ExploredStore()
    let answer = await store.get("/api/tables/Person?where=agee+%3E+1")
    #expect(answer.status == 400)
    let decoded = try await store.json("/api/tables/Person?where=age+%3E+%3E")
    let error = try #require(decoded["error"] as? [String: Any])
    #expect(error["position"] as? Int == 6)
    let columns = try await store.json("/api/tables/Person?columns=age,")
    let columnError = try #require(columns["error"] as? [String: Any])
    #expect(columnError["message"] as? String == "columns 'age,' has an empty name")
    #expect(await store.get("/api/tables/Missing").status == 404)
    #expect(await store.get("/api/tables/Person?limit=0").status == 400)
    #expect(await store.get("/api/nothing").status == 404)
  }

  @Test("Another process's save reaches all readers as the same report")
  func reports() async throws {
    let store = try ExploredStore(["Ann", "Bob", "Cora"], isWritable: true)
    let answers = [
      await store.get("/api/tables/Person/events?sort=age&columns=lastName"),
      await store.get("/api/tables/Person/events?sort=age&columns=lastName"),
      await store.get("/api/tables/Person/events?sort=age&columns=age"),
    ]
    let other = NSPersistentStoreCoordinator(
      managedObjectModel: try #require(
        try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: store.url)))
    try other.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: store.url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = other
    try await context.perform {
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      person.setValue("Dora", forKey: "lastName")
      person.setValue(2, forKey: "age")
      try context.save()
    }
    var greetings: [String] = []
    var reports: [String] = []
    for answer in answers {
      guard case .stream(let events) = answer.body else { continue }
      // Events about the store, such as its counts, can come in between.
      for try await event in events {
        let text = String(decoding: event, as: UTF8.self)
        if text.hasPrefix("event: hello") { greetings.append(text) }
        if text.hasPrefix("event: report") {
          reports.append(text)
          break
        }
      }
    }
    try #require(greetings.count == 3 && reports.count == 3)
    #expect(greetings[0] == greetings[1] && reports[0] == reports[1])
    // A reader of other columns receives the same report, with the values of those columns.
    let places = reports.map { $0.replacing(/"rows":\{.*?\}\}/, with: "") }
    #expect(places[0] == places[2] && reports[0] != reports[2])
    #expect(reports[0].contains("Dora") && reports[2].contains("\"cells\":[2]"))
    let hello = try #require(
      greetings[0].firstMatch(of: /^event: hello\nid: (\d+)\ndata: (\{.*\})\n\n/))
    let version = try #require(Int(hello.1))
    #expect(hello.2 == "{\"total\":3,\"version\":\(version)}")
    #expect(reports[0].contains("\"inserted\":[2]") || reports[0].contains("\"inserted\":[1]"))
    // Pages now count the rows, and have the report's version.
    let page = try await store.json("/api/tables/Person?sort=age&columns=lastName")
    #expect(page["total"] as? Int == 4 && page["version"] as? Int == version + 1)
    await store.close()
  }

  @Test("Sections have their positions among all rows")
  func sections() async throws {
    let store = try ExploredStore(["Ann", "Bob", "Ann", "Cora"])
    let target = "/api/tables/Person?section=lastName&columns=age"
    guard case .stream(let events) = await store.get(target.replacing("?", with: "/events?")).body
    else {
      Issue.record("no events")
      return
    }
    let page = try await store.json(target + "&offset=1&limit=2")
    let sections = try #require(page["sections"] as? [[String: Any]])
    #expect(sections.map { $0["name"] as? String } == ["Ann", "Bob", "Cora"])
    #expect(sections.map { $0["start"] as? Int } == [0, 2, 3])
    #expect((page["rows"] as? [[String: Any]])?.map { $0["id"] as? String } == ["p3", "p2"])
    // The client must live until here, because a table without clients may be closed on a busy machine.
    withExtendedLifetime(events) {}
    await store.close()
  }

  @Test("The store and its objects are described")
  func objects() async throws {
    let store = try ExploredStore()
    // Counts are added when they are available, which can take a while on a busy machine.
    var count: Int?
    for _ in 0..<36_000 where count == nil {
      let summary = try await store.json("/api/store")
      let entities = try #require(summary["entities"] as? [[String: Any]])
      let person = try #require(entities.first { $0["name"] as? String == "Person" })
      count = person["count"] as? Int
    }
    #expect(count == 3)
    let object = try await store.json("/api/objects/Person/p2")
    #expect(object["label"] as? String == "Bob")
    for name in ["p99", "p%2B2", "p-2", "x2"] {
      #expect(await store.get("/api/objects/Person/\(name)").status == 404, "\(name)")
    }
    #expect(await store.get("/api/objects/Person/x").status == 404)
  }

  @Test("A table with more rows than the limit says so, with and without scripts")
  func rowLimit() async throws {
    let store = try ExploredStore(
      RuledModel.make(), limits: QueryLimits(time: ExploredStore.generousTime, rows: 2),
      RuledModel.fill
    )
    guard case .stream(let events) = await store.get("/api/tables/Thing/events").body else {
      Issue.record("the response is not a stream")
      return
    }
    let page = try await store.json("/api/tables/Thing")
    #expect(page["total"] as? Int == 2)
    let limited = try #require(page["limited"] as? [String: Any])
    #expect(limited["reason"] as? String == "rows")
    #expect(limited["message"] as? String == "The first 2 rows are shown; there may be more.")
    #expect(try await store.text("/entities/Thing").contains("The first 2 rows are shown"))
    guard case .stream(let more) = await store.get("/api/tables/Item/events").body else {
      Issue.record("the response is not a stream")
      return
    }
    #expect(try await store.json("/api/tables/Item")["limited"] is NSNull)
    // The clients must live until here, because a table without clients may be closed on a busy machine.
    withExtendedLifetime((events, more)) {}
    await store.close()
  }

  @Test(
    "When so many rows are deleted that no row is missing, pages are loaded again without the limit"
  )
  func deletionBelowRowLimit() async throws {
    let store = try ExploredStore(
      RuledModel.make(), limits: QueryLimits(time: ExploredStore.generousTime, rows: 4),
      RuledModel.fill)
    guard case .stream(let events) = await store.get("/api/tables/Thing/events").body else {
      Issue.record("the response is not a stream")
      return
    }
    #expect(try await store.json("/api/tables/Thing")["limited"] is [String: Any])
    try await store.saveElsewhere { context in
      let balls = NSFetchRequest<NSManagedObject>(entityName: "Ball")
      balls.predicate = NSPredicate(format: "weight < 3")
      for ball in try context.fetch(balls) { context.delete(ball) }
    }
    for try await part in events {
      if String(decoding: part, as: UTF8.self).contains("event: reload") { break }
    }
    let page = try await store.json("/api/tables/Thing")
    #expect(page["total"] as? Int == 3)
    #expect(page["limited"] is NSNull)
    await store.close()
  }

  @Test(
    "A query that takes too long is ended with an error",
    arguments: [
      "/api/tables/Thing?offset=1", "/api/objects/Item/p1", "/api/histogram?entity=Item&key=code",
      "/entities/Thing",
    ])
  func timeLimit(target: String) async throws {
    let over = DispatchSemaphore(value: 0)
    // The query runs until its time is over.
    let limits = QueryLimits(
      time: .milliseconds(50), hasBegun: { _ = over.wait(timeout: .now() + 600) },
      isOver: { over.signal() })
    let store = try ExploredStore(
      RuledModel.make(), isWritable: true, limits: limits, RuledModel.fill)
    let answer = await store.get(target)
    #expect(answer.status == 503)
    let text = try await Self.text(answer)
    #expect(text.contains("the query was stopped after"))
    // A page does not repeat such a request.
    if target.hasPrefix("/api") { #expect(text.contains("\"stopped\":true"), "\(text)") }
    await store.close()
  }

  @Test(
    "Requests do not wait for the queries of other requests, unless these read unsaved changes",
    arguments: [
      "/api/tables/Item", "/api/objects/Item/p1", "/api/histogram?entity=Item&key=code",
      "/entities/Item", "/api/tables/Item/plan", "/api/predicate?entity=Item&text=code+!%3D+nil",
      "/api/objects/Lock/p1", "/api/tables/Lock?columns=name,box.name",
      "/api/objects/Box/p1/data/name", "/api/requests",
    ], [false, true])
  func othersQueries(target: String, isEdited: Bool) async throws {
    let isFirst = Mutex(true)
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let answered = DispatchSemaphore(value: 0)
    let limits = QueryLimits(
      time: ExploredStore.generousTime,
      hasBegun: {
        let isSlow = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        guard isSlow else { return }
        // The query of the first table lasts until the other request is answered.
        begin.finish()
        #expect(answered.wait(timeout: .now() + 3600) == .success)
      })
    let store = try ExploredStore(
      RuledModel.make(), isWritable: true, limits: limits, RuledModel.fill)
    if isEdited {
      // The slow query does not read these rows. A query that reads them occupies the context of the edits, so requests
      // that need this context wait until it ends or its time is over.
      let edit =
        #"{"operations":[{"op":"set","entity":"Lock","id":"p1","key":"name","text":"New"}]}"#
      #expect(try await store.post("/api/edit", edit).0 == 200)
    }
    let request = WebRequest(
      method: "GET", target: "/api/tables/Thing/events",
      headers: [("Host", "localhost:80"), ("Cookie", store.cookie)])
    let slow = Task { [explorer = store.explorer] in await explorer.answer(to: request).status }
    for await _ in begun {}
    let answer = await store.get(target)
    #expect(answer.status == 200 || target.hasSuffix("/data/name"))
    if isEdited, target == "/api/objects/Lock/p1" {
      #expect(try await Self.text(answer).contains("\"New\""))
    }
    answered.signal()
    #expect(await slow.value == 200)
    await store.close()
  }

  @Test(
    "Cells and conditions of open tables include unsaved changes to other rows"
  )
  func unsavedNeighbors() async throws {
    let store = try ExploredStore(RuledModel.make(), isWritable: true, RuledModel.fill)
    let (cells, rows) = (
      "/api/tables/Lock?columns=box.name", "/api/tables/Lock?where=box.name%20%3D%3D%20%22New%22"
    )
    func texts(_ target: String) async throws -> [String] {
      let page = try await store.json(target)
      let rows = try #require(page["rows"] as? [[String: Any]])
      return rows.flatMap { ($0["cells"] as? [Any] ?? []).map { "\($0)" } }
    }
    // Both tables have readers, so that they stay open.
    var readers: [Broadcast.Stream.AsyncIterator] = []
    for target in [cells, rows] {
      let parts = target.split(separator: "?")
      guard case .stream(let events) = await store.get("\(parts[0])/events?\(parts[1])").body
      else {
        Issue.record("the response is not a stream")
        return
      }
      var reader = events.makeAsyncIterator()
      _ = try await reader.next()
      readers.append(reader)
    }
    defer { withExtendedLifetime(readers) {} }
    #expect(try await texts(cells) == ["Shut"])
    #expect(try await texts(rows).isEmpty)
    let edit = #"{"operations":[{"op":"set","entity":"Box","id":"p2","key":"name","text":"New"}]}"#
    #expect(try await store.post("/api/edit", edit).0 == 200)
    #expect(try await texts(cells) == ["New"])
    // A table may be updated later than the change, so the request is repeated until it is.
    while try await texts(rows).isEmpty {}
    let summary = try await store.text("/api/objects/Lock/p1")
    #expect(summary.contains("\"label\":\"New\""), "\(summary)")
    #expect(try await store.post("/api/edit/discard").0 == 200)
    #expect(try await texts(cells) == ["Shut"])
    while try await !texts(rows).isEmpty {}
    await store.close()
  }

  @Test("A query's time does not start before the query does")
  func waitingTime() async throws {
    let isBusy = Mutex(false)
    // The time of a query begins with the call of `hasBegun`.
    let limits = QueryLimits(
      time: ExploredStore.generousTime,
      hasBegun: { #expect(!isBusy.withLock { $0 }, "the time of a waiting query is counted") })
    let store = try ExploredStore(
      RuledModel.make(), isWritable: true, limits: limits, RuledModel.fill)
    // With unsaved changes, requests read the edited context, so they wait for its queue.
    let edit =
      #"{"operations":[{"op":"set","entity":"Item","id":"p1","key":"note","text":"C"}]}"#
    #expect(try await store.post("/api/edit", edit).0 == 200)
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let context = store.explorer.context
    let busy = Task.detached {
      await context.perform {
        isBusy.withLock { $0 = true }
        begin.finish()
        // Keeps the queue busy until the request waits for it.
        for _ in 0..<10_000 where context.queue.waitingCount == 0 { usleep(1_000) }
        isBusy.withLock { $0 = false }
      }
    }
    for await _ in begun {}
    #expect(await store.get("/api/objects/Item/p1").status == 200)
    await busy.value
    await store.close()
  }

  @Test("A table with other readers shows unsaved rows")
  func unsavedRows() async throws {
    let store = try ExploredStore(["Ann"], isWritable: true)
    let table = "/api/tables/Person?columns=lastName"
    guard case .stream(let events) = await store.get("/api/tables/Person/events").body else {
      Issue.record("the response is not a stream")
      return
    }
    var reader = events.makeAsyncIterator()
    #expect(
      try await reader.next().map { String(decoding: $0, as: UTF8.self) }?
        .hasPrefix("event: hello") == true)
    let edit = #"{"operations":[{"op":"insert","entity":"Person","values":{"lastName":"Bob"}}]}"#
    #expect(try await store.post("/api/edit", edit).0 == 200)
    // Readers are notified of the row, or that they must read everything again.
    var event = ""
    while !event.contains("event: reload"), !event.contains("event: report"),
      let part = try await reader.next()
    {
      event = String(decoding: part, as: UTF8.self)
    }
    let page = try await store.json(table)
    #expect((page["rows"] as? [Any])?.count == 2 && page["total"] as? Int == 2)
    #expect(try await store.post("/api/edit/discard").0 == 200)
    let after = try await store.json(table)
    #expect((after["rows"] as? [Any])?.count == 1)
    await store.close()
  }

  @Test("A pattern that takes too long, or is invalid, is an error in the condition")
  func slowPatterns() async throws {
    let store = try ExploredStore([String(repeating: "a", count: 40) + "!"])
    for (pattern, part) in [("(a+)+$", "more than"), ("(a", "regular expression")] {
      let condition = Address.escaped("lastName MATCHES '\(pattern)'")
      for target in [
        "/api/tables/Person?where=", "/api/tables/Person/export.csv?where=",
        "/api/histogram?entity=Person&key=age&where=",
      ] {
        let answer = await store.get(target + condition)
        #expect(answer.status == 400)
        let text = try await Self.text(answer)
        #expect(text.contains(part) && text.contains("\"place\":\"where\""), "\(text)")
      }
    }
    await store.close()
  }

  private static func text(_ answer: WebResponse) async throws -> String {
    guard case .data(let data) = answer.body else { return "" }
    return String(decoding: data, as: UTF8.self)
  }
}
