import CoreData
import Foundation
import StoreInspection
import Testing

@testable import CoreDataExplorer

@Suite("Viewing a store in the explorer")
struct LookingTests {
  @Test("Every page can be read without scripts, and no text of the store is markup")
  func pages() async throws {
    let hostile = "<script>alert(1)</script>\u{1b}[31m\u{202e}\"'&"
    let store = try ExploredStore(["Ann", hostile])
    for target in [
      "/", "/entities/Person?sort=-age", "/entities/Person/p2", "/diagram", "/history", "/requests",
      "/store", "/entities/Person?where=lastName+%3D%3D+%27%3Cscript%3E%27",
      "/entities/Person?where=%3Cscript%3E",
    ] {
      let answer = await store.get(target)
      let text = try await store.text(target)
      #expect(text.hasPrefix("<!doctype html>"), "\(target)")
      #expect(!text.contains("<script>") && !text.contains("\u{202e}") && !text.contains("\u{1b}"))
      let policy = answer.headers.first { $0.name == "Content-Security-Policy" }?.value
      #expect(policy?.hasPrefix("default-src 'none'; script-src 'self'") == true)
    }
    let table = try await store.text("/entities/Person?sort=-age")
    #expect(table.contains("&lt;script&gt;") && table.contains("1–2 of 2"))
    for target in ["/entities/Person/p77", "/nowhere"] {
      #expect(await store.get(target).status == 404)
      #expect(try await store.text(target).contains("main.js"))
    }
    #expect(await store.get("/entities/Missing").status == 404)
    await store.close()
  }

  @Test("A table without scripts continues page by page, in its order")
  func pageByPage() async throws {
    let store = try ExploredStore((0..<250).map { "N\(1_000 + $0)" })
    let first = try await store.text("/entities/Person?sort=lastName")
    #expect(first.contains("1–100 of 250") && first.contains("N1000") && !first.contains("N1100"))
    #expect(first.contains("href=\"/entities/Person?sort=lastName&amp;at=100\""))
    let last = try await store.text("/entities/Person?sort=lastName&at=200")
    #expect(last.contains("201–250 of 250") && !last.contains(">Next<"))
    await store.close()
  }

  @Test("An object without scripts continues part by part, in both directions")
  func partByPart() async throws {
    let store = try ExploredStore(RuledModel.make()) { context in
      let box = NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
      for number in 0..<120 {
        let ball = NSEntityDescription.insertNewObject(forEntityName: "Ball", into: context)
        ball.setValuesForKeys(["name": "B\(1_000 + number)", "box": box])
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValuesForKeys(["code": "I\(number)", "about": box])
      }
    }
    let rows = try await store.json("/api/tables/Box")["rows"] as? [[String: Any]]
    let id = try #require(rows?.first?["id"] as? String)
    let first = try await store.text("/entities/Box/\(id)")
    #expect(first.contains("1–50 ") && first.contains("balls (120)"))
    #expect(first.contains("href=\"/entities/Box/\(id)?part=balls&amp;at=50\""))
    #expect(first.contains("href=\"/entities/Box/\(id)?part=Item.about\""))
    let last = try await store.text("/entities/Box/\(id)?part=balls&at=100")
    #expect(last.contains("101–120 ") && last.contains(">Previous<") && !last.contains(">Next<"))
    let others = try await store.text("/entities/Box/\(id)?part=Item.about&at=50")
    #expect(others.contains("Referenced by Item.about (120)") && others.contains("51–100 "))
    await store.close()
  }

  @Test("A string of a single character is truncated if it has many Unicode scalars")
  func longCharacters() async throws {
    let long = "a" + String(repeating: "\u{301}", count: 200_000)
    let store = try ExploredStore([long])
    let page = try await store.text("/api/tables/Person")
    #expect(page.utf8.count < 3_000 && page.contains("\"length\":200001"))
    #expect(try await store.text("/entities/Person/p1").utf8.count < 10_000)
    await store.close()
  }

  @Test("A histogram counts unsaved values as well")
  func unsavedTexts() async throws {
    let store = try ExploredStore(["Ann", "Ann", "Bob"], isWritable: true)
    let edit = """
      {"operations":[{"op":"insert","entity":"Person","values":{"lastName":"Dora"}},
      {"op":"set","entity":"Person","id":"p1","key":"lastName","text":"Bob"},
      {"op":"delete","entity":"Person","ids":["p2"]}]}
      """
    #expect(try await store.post("/api/edit", edit).0 == 200)
    let answer = try await store.json("/api/histogram?entity=Person&key=lastName")
    let bins = try #require(answer["bins"] as? [[String: Any]])
    #expect(bins.map { $0["label"] as? String } == ["Bob", "Dora"])
    #expect(bins.map { $0["count"] as? Int } == [2, 1] && answer["total"] as? Int == 3)
    await store.close()
  }

  @Test("Conditions can name rows by the IDs that are shown")
  func namedRows() async throws {
    let store = try ExploredStore()
    func check(_ text: String) async throws -> [String: Any] {
      try await store.json("/api/predicate?entity=Person&text=" + Address.escaped(text))
    }
    for text in ["SELF == \"p2\"", "objectID IN {\"Person/p2\"}", "NOT \"p2\" != SELF"] {
      #expect(try await check(text)["ok"] as? Bool == true, "\(text)")
      for target in ["/api/tables/Person", "/api/tables/Person/export.json"] {
        let found = try await store.text("\(target)?where=\(Address.escaped(text))")
        #expect(found.contains("Bob") && !found.contains("Ann"), "\(found)")
      }
      let bins = try await store.text(
        "/api/histogram?entity=Person&key=age&where=\(Address.escaped(text))")
      #expect(bins.contains("\"total\":1"), "\(bins)")
    }
    let missing = try await check("SELF == \"Job/p2\"")
    #expect(missing["ok"] as? Bool == false && "\(missing)".contains("there is no row Job/p2"))
    await store.close()
  }

  @Test("Conditions are checked as they are typed")
  func conditions() async throws {
    let store = try ExploredStore()
    func check(_ text: String) async throws -> [String: Any] {
      try await store.json("/api/predicate?entity=Person&text=\(Address.escaped(text))")
    }
    #expect(try await check("age > 3 AND lastName BEGINSWITH[c] 'a'")["ok"] as? Bool == true)
    let error = try #require(try await check("age > AND")["error"] as? [String: Any])
    #expect(error["position"] as? Int != nil)
    #expect(try await check("agee > 1")["ok"] as? Bool == false)
    let open = try await check("age > $AGE AND lastName == $NAME")
    #expect(open["ok"] as? Bool == true)
    #expect(
      (open["variables"] as? [[String: String]])?.map { $0["type"] } == ["Integer 16", "String"])
    await store.close()
  }

  @Test(
    "Completion offers keys, operators, values and words",
    arguments: [
      ("", "age", "key"), ("last", "lastName", "key"), ("age ", ">=", "operator"),
      ("lastName ", "BEGINSWITH[cd]", "operator"), ("age > 3 ", "AND", "keyword"),
      ("age > 3 AND ", "firstName", "key"), ("age == ", "nil", "value"),
      ("lastName == 'x y' ", "OR", "keyword"), ("NOT (ag", "age", "key"),
    ])
  func completion(text: String, expected: String, kind: String) async throws {
    let store = try ExploredStore()
    let answer = try await store.json(
      "/api/completion?entity=Person&text=\(Address.escaped(text))")
    let options = try #require(answer["options"] as? [[String: String]])
    #expect(options.contains { $0["text"] == expected && $0["kind"] == kind })
    await store.close()
  }

  @Test("Nothing is completed in a string, and a key path continues with its entity's keys")
  func completionPlaces() async throws {
    let model = try ExploredStore.model()
    let player = try #require(model.entitiesByName["Player"])
    #expect(PredicateCompletion("lastName == 'ag", at: 15, of: player).options.isEmpty)
    let path = PredicateCompletion("team.na", at: 7, of: player)
    #expect(path.from == 0 && path.options.map(\.text) == ["team.name"])
    // `@count` applies to the members of a to-many relationship.
    #expect(PredicateCompletion("team.@", at: 6, of: player).options.isEmpty)
    let team = try #require(model.entitiesByName["Team"])
    let count = PredicateCompletion("players.@", at: 9, of: team)
    #expect(count.options.map(\.text) == ["players.@count"])
    // Positions are counted in Unicode scalars.
    let after = PredicateCompletion("lastName == '🎉' AND a", at: 21, of: player)
    #expect(after.from == 20)
  }

  @Test("The ranges of a histogram contain every row once, and link to their rows")
  func histograms() async throws {
    let store = try ExploredStore((0..<100).map { "N\($0 % 7)" })
    for (key, kind) in [("age", "number"), ("lastName", "text")] {
      let answer = try await store.json("/api/histogram?entity=Person&key=\(key)")
      #expect(answer["kind"] as? String == kind)
      let bins = try #require(answer["bins"] as? [[String: Any]])
      #expect(bins.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == 100)
      let bin = try #require(bins.last)
      let condition = Address.escaped(try #require(bin["where"] as? String))
      let page = try await store.json("/api/tables/Person?limit=1000&where=\(condition)")
      #expect((page["rows"] as? [Any])?.count == bin["count"] as? Int)
    }
    #expect(await store.get("/api/histogram?entity=Person&key=nothing").status == 400)
    await store.close()
  }

  @Test(
    "Any numbers have ranges: negative ones, distant ones, a single one",
    arguments: [
      [-5.0, 5], [0, 0], [-1e308, 1e308], [1e300], [0.1, 0.2, 0.3],
    ])
  func numberRanges(values: [Double]) async throws {
    let store = try ExploredStore([], isWritable: true)
    for value in values {
      let made = try await store.post(
        "/api/edit",
        #"{"operations":[{"op":"insert","entity":"Job","values":{"title":"x","amount":"\#(value)"}}]}"#
      )
      // A decimal has at most 38 digits.
      #expect(made.0 == 200 || abs(value) > 1e120)
    }
    let answer = try await store.json("/api/histogram?entity=Job&key=amount")
    let bins = try #require(answer["bins"] as? [[String: Any]])
    #expect(bins.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == answer["total"] as? Int)
    await store.close()
  }

  @Test("No offset is too large, and no address crashes the explorer")
  func farPlaces() async throws {
    let store = try ExploredStore(isWritable: true)
    _ = try await store.post(
      "/api/edit", #"{"operations":[{"op":"insert","entity":"Person","values":{"lastName":"D"}}]}"#)
    for target in [
      "/entities/Person?at=9223372036854775807", "/api/tables/Person?offset=9223372036854775807",
      "/entities/Person?at=1099511627776", "/api/tables/Person?offset=1099511627776&sort=age",
      "/api/history?before=9223372036854775807",
    ] {
      #expect([200, 400].contains(await store.get(target).status))
    }
    await store.close()
  }

  @Test("Dates are divided into months, days or years, whichever fits")
  func dateRanges() {
    let start = Date(timeIntervalSinceReferenceDate: 0)
    let ranges = DateRanges(from: start, to: start + 86_400 * 365 * 3, about: 24).ranges
    #expect(ranges.first?.label == "2001-01")
    #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.to == $1.from })
    #expect(ranges.last.map { $0.to > start + 86_400 * 365 * 3 } == true)
    #expect(DateRanges(from: start, to: start, about: 24).ranges.count == 1)
  }

  @Test("Exports have every row, in the command line's format")
  func exports() async throws {
    let store = try ExploredStore((0..<3_000).map { "N\($0)" })
    let answer = await store.get("/api/tables/Person/export.csv?columns=lastName,age&sort=age")
    #expect(answer.headers.first { $0.name == "X-Total-Rows" }?.value == "3000")
    let csv = try await store.text("/api/tables/Person/export.csv?columns=lastName,age&sort=age")
    let lines = csv.components(separatedBy: "\r\n")
    #expect(lines.count == 3_002 && lines[0] == "lastName,age" && lines[3_000] == "N2999,3000")
    let json = try await store.text(
      "/api/tables/Person/export.json?columns=lastName&where=age+%3C+3")
    #expect(json == "[\n{\"lastName\":\"N0\"},\n{\"lastName\":\"N1\"}\n]\n")
    #expect(try await store.text("/api/tables/Person/export.json?where=age+%3C+0") == "[]\n")
    await store.close()
  }

  @Test("A stalled reader of an export loses its place to another reader")
  func stalledReaders() async throws {
    let places = ExportPlaces()
    let (ended, end) = AsyncStream<Void>.makeStream()
    var streams: [Broadcast.Stream] = []
    for _ in 0..<2 {
      try places.acquire()
      streams.append(
        ExportSink.stream(in: places, patience: .milliseconds(100)) { sink in
          Task {
            let result: Result<Void, any Error>
            do {
              while true { try await sink.send(Data("part".utf8)) }
            } catch {
              result = .failure(error)
            }
            places.release()
            sink.finish(result)
            end.yield()
          }
        })
    }
    let full = #expect(throws: WebFailure.self) { try places.acquire() }
    #expect(full?.error.message.contains("2 exports are already running") == true)
    // The two streams are not read.
    var endings = ended.makeAsyncIterator()
    for _ in 0..<2 { await endings.next() }
    try places.acquire()
    // The data sent so far remains, followed by an error that it is incomplete.
    await #expect(throws: ExportSink.Stalled.self) { for try await _ in streams[0] {} }
    places.release()
    await places.close()
    let closed = #expect(throws: WebFailure.self) { try places.acquire() }
    #expect(closed?.status == 503)
    #expect(closed?.error.message == "the explorer is closing, so no export can start")
  }

  @Test("Exports have the table's order, and its unsaved changes")
  func exportsOfChanges() async throws {
    let store = try ExploredStore(["Ann", "Bob", "Ann"], isWritable: true)
    let target = "/api/tables/Person/export.csv?columns=lastName,age&section=lastName&sort=-age"
    #expect(try await store.text(target) == "lastName,age\r\nAnn,3\r\nAnn,1\r\nBob,2\r\n")
    for operation in [
      #"{"op":"insert","entity":"Person","values":{"lastName":"Abe","age":"9"}}"#,
      #"{"op":"set","entity":"Person","id":"p2","key":"lastName","text":"Aida"}"#,
      #"{"op":"delete","entity":"Person","ids":["p1"]}"#,
    ] {
      #expect(
        try await store.post("/api/edit", #"{"operations":[\#(operation)]}"#).0 == 200)
    }
    #expect(try await store.text(target) == "lastName,age\r\nAbe,9\r\nAida,2\r\nAnn,3\r\n")
    await store.close()
  }

  @Test("Formulas get an apostrophe in CSV, unless it is turned off")
  func formulas() async throws {
    let names = ["=1+1", "+A1", "-2", "@SUM(A1)", "\tx", "a=1", "'=1", "x;=1", ""]
    let store = try ExploredStore(names)
    let target = "/api/tables/Person/export.csv?columns=lastName,age&sort=age"
    let lines = try await store.text(target).components(separatedBy: "\r\n")
    #expect(
      lines == [
        "lastName,age", "'=1+1,1", "'+A1,2", "'-2,3", "'@SUM(A1),4", "\"'\tx\",5", "a=1,6", "'=1,7",
        "\"x;=1\",8", "\"\",9", "",
      ])
    let plain = try await store.text(target + "&formulas=plain")
    #expect(plain.hasPrefix("lastName,age\r\n=1+1,1\r\n+A1,2\r\n-2,3\r\n@SUM(A1),4\r\n\tx,5\r\n"))
    #expect(
      try await store.text("/api/tables/Person/export.json?where=age+%3D%3D+1").contains(#""=1+1""#)
    )
    await store.close()
  }

  @Test("A truncated value is marked, and links to the complete one")
  func cutValues() async throws {
    let long = String(repeating: "wörd ", count: 1_000)
    let store = try ExploredStore([long, ""])
    let row = try await store.text("/api/tables/Person?columns=lastName&where=age+%3D%3D+1")
    #expect(row.contains(#""length":5000,"t":"cut""#))
    // Labels are truncated as well.
    #expect(row.contains("\(String(repeating: "wörd ", count: 20))…"))
    let table = try await store.text("/entities/Person?columns=lastName")
    #expect(table.contains("wörd …") && table.contains("<i>&quot;&quot;</i>"))
    let page = try await store.text("/entities/Person/p1")
    let whole = "/api/objects/Person/p1/data/lastName"
    #expect(page.contains("<a href=\"\(whole)\" download>Download all</a>"))
    #expect(page.contains("<i>nil</i>"))
    #expect(try await store.text(whole) == long)
    await store.close()
  }

  @Test("Transformable values are stable JSON, and are never truncated without a mark")
  func programValues() async throws {
    let value: [String: Any] = [
      "recentlyUsed": true, "phone": "+49 (151) 23456789",
      "day": Date(timeIntervalSinceReferenceDate: 0),
      "list": [1, 2.5, ["x": NSNull()] as [String: Any]] as [Any], "bytes": Data([1, 2]),
    ]
    let json =
      #"{"bytes":"AQI=","day":"2001-01-01T00:00:00Z","list":[1,2.5,{"x":null}],"phone":"+49 (151) 23456789","recentlyUsed":true}"#
    #expect(ValueJSON.text(of: value) == json)
    #expect(ValueJSON.text(of: value as NSDictionary) == json)
    #expect(ValueJSON.text(of: [AnyHashable("b"): 1, AnyHashable(2): "x"]) == #"{"2":"x","b":1}"#)
    #expect(ValueJSON.text(of: Set(["b", "a"])) == #"["a","b"]"#)
    #expect(ValueJSON.text(of: [Double.nan]) == #"["nan"]"#)
    let long = CellValue((0..<500).map { $0 }, .transformableAttributeType)
    let cell = String(decoding: try JSONBody.data(Cell(value: long)), as: UTF8.self)
    #expect(cell.contains(#""t":"cut""#) && cell.contains(#""length":1891"#))
  }

  @Test("Dates in editors are exact to the last bit")
  func exactDates() {
    for seconds in [
      0, 0.339, 736_077_893.339, 736_077_893.3391234, -0.3, -12_345.678_9, 1e12 + 0.25, 3e15, 1e300,
      .leastNonzeroMagnitude,
    ] {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      #expect(DateInput.date(DateText.exact(date)) == date, "\(DateText.exact(date))")
    }
    #expect(
      DateText.exact(Date(timeIntervalSinceReferenceDate: 0.339)) == "2001-01-01T00:00:00.339Z")
  }

  @Test("A request is shown as SQL with its plan, and as Swift")
  func requests() async throws {
    let store = try ExploredStore()
    let plan = try await store.json("/api/tables/Person/plan?sort=lastName&where=age+%3E+1")
    #expect((plan["sql"] as? String)?.contains("ORDER BY") == true)
    #expect((plan["plan"] as? [Any])?.isEmpty == false)
    let swift = try await store.json(
      "/api/tables/Person/swift?sort=-age,~lastName&where=\(Address.escaped("lastName == \"O\\\\n\""))"
    )
    let text = try #require(swift["swift"] as? String)
    #expect(text.contains(#"NSPredicate(format: "lastName == \"O\\\\n\"", argumentArray: [])"#))
    #expect(text.contains(#"NSSortDescriptor(key: "age", ascending: false)"#))
    #expect(text.contains(#"ascending: true, selector: Selector("localizedStandardCompare:")"#))
    _ = try await store.json("/api/tables/Person?where=age+%3E+2")
    let log = try await store.json("/api/requests")
    let entries = try #require(log["requests"] as? [[String: Any]])
    #expect(entries.contains { ($0["sql"] as? String)?.contains("\"ZAGE\" > 2") == true })
    let last = try #require(entries.last?["n"] as? Int)
    // Other requests may be recorded before this one, because rows are counted concurrently.
    let later = try await store.json("/api/requests?after=\(last)")
    let numbers = (later["requests"] as? [[String: Any]])?.compactMap { $0["n"] as? Int }
    #expect(numbers?.allSatisfy { $0 > last } == true)
    let id = try #require(log["log"] as? String)
    #expect(!id.isEmpty && later["log"] as? String == id)
    await store.close()
  }

  @Test("The objects of a table that shows unsaved changes are counted")
  func figures() async throws {
    let store = try ExploredStore(isWritable: true)
    _ = try await store.post(
      "/api/edit",
      #"{"operations":[{"op":"insert","entity":"Person","values":{"lastName":"Dora"}}]}"#)
    // The table is in the context of the edits.
    let page = try await store.json("/api/tables/Person")
    #expect((page["rows"] as? [Any])?.count == 4)
    var figures: [String: Int] = [:]
    // Objects are counted in the background, which can take a while on a busy machine.
    for _ in 0..<36_000 where figures["unsaved objects"] != 1 || figures["live tables"] != 1 {
      // A table without readers is kept only for a limited time.
      _ = try await store.json("/api/tables/Person")
      let log = try await store.json("/api/requests")
      figures = try #require(log["cache"] as? [String: Int])
    }
    #expect(figures["live tables"] == 1 && figures["unsaved objects"] == 1, "\(figures)")
    #expect((1...4).contains(figures["objects"] ?? 0), "\(figures)")
    await store.close()
  }

  @Test(
    "XML and binary stores are shown with their model",
    arguments: [NSXMLStoreType, NSBinaryStoreType])
  func otherStores(type: String) async throws {
    let store = try ExploredStore()
    await store.close()
    let url = store.folder.appendingPathComponent("Contacts.other")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try ExploredStore.model())
    let first = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: store.url)
    let other = try coordinator.migratePersistentStore(first, to: url, options: nil, withType: type)
    try coordinator.remove(other)
    #expect(throws: (any Error).self) {
      try Explorer(
        opening: url.path, model: nil, isWritable: false, admission: Admission(token: "secret"))
    }
    let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Examples/Contacts/Contacts.xcdatamodeld")
    let explorer = try Explorer(
      opening: url.path, model: model.path, isWritable: true, admission: Admission(token: "secret"),
      limits: ExploredStore.limits)
    for target in [
      "/", "/entities/Person?sort=-age&where=age+%3E+1", "/api/tables/Person/plan?sort=age",
      "/entities/Person/p1", "/api/histogram?entity=Person&key=age", "/api/store",
    ] {
      let answer = await explorer.answer(
        to: WebRequest(
          method: "GET", target: target,
          headers: [("Host", "localhost:80"), ("Cookie", store.cookie)]))
      #expect(answer.status == 200, "\(target)")
    }
    await explorer.close { Issue.record("\($0)") }
  }

  @Test("The diagram links to the tables, and shows their numbers of rows")
  func diagram() async throws {
    let store = try ExploredStore()
    _ = try await store.json("/api/store")
    _ = await store.explorer.counts.counts(within: .seconds(3600))
    let svg = try await store.text("/api/diagram.svg")
    #expect(svg.contains("<a href=\"/entities/Person\">") && svg.contains(">3 rows<"))
    await store.close()
  }

  @Test("A program without the folder of its pages reports what is missing, and where")
  func missingFiles() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let error = try #require(throws: Diagnostic.self) { try ClientFiles(in: [folder]) }
    #expect(error.details.first?.contains("OpenCoreData_CoreDataExplorer.resources") == true)
    #expect(error.details.first?.contains(folder.path) == true)
  }
}
