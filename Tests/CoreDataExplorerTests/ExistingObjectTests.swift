import Testing

@Suite("Which objects exist in the explorer")
struct ExistingObjectTests {
  @Test("The explorer lists which objects exist, with unsaved changes applied")
  func existing() async throws {
    let store = try ExploredStore(isWritable: true)
    func existing() async throws -> [String]? {
      let body = #"{"entity":"Person","ids":["p1","p2","p99999","none"]}"#
      return try await store.post("/api/existing", body).1["ids"] as? [String]
    }
    #expect(try await existing() == ["p1", "p2"])
    let deletion = #"{"operations":[{"op":"delete","entity":"Person","ids":["p2"]}]}"#
    #expect(try await store.post("/api/edit", deletion).0 == 200)
    #expect(try await existing() == ["p1"])
    #expect(try await store.post("/api/edit/undo").0 == 200)
    #expect(try await existing() == ["p1", "p2"])
    let id = try await store.insert("Person", #""lastName":"New""#)
    let body = #"{"entity":"Person","ids":["\#(id)","p2","t99999"]}"#
    #expect(try await store.post("/api/existing", body).1["ids"] as? [String] == [id, "p2"])
    await store.close()
  }

  @Test("The explorer lists which objects meet the condition of a table")
  func existingMembers() async throws {
    let store = try ExploredStore(isWritable: true)
    func existing(_ condition: String) async throws -> [String]? {
      let body = #"{"entity":"Person","where":"\#(condition)","ids":["p1","p2","p3","p99999"]}"#
      return try await store.post("/api/existing", body).1["ids"] as? [String]
    }
    #expect(try await existing("age > 1") == ["p2", "p3"])
    #expect(try await existing("") == ["p1", "p2", "p3"])
    #expect(try await store.set("p2", "age", "1").0 == 200)
    #expect(try await existing("age > 1") == ["p3"])
    let wrong = #"{"entity":"Person","where":"age >","ids":["p1"]}"#
    #expect(try await store.post("/api/existing", wrong).0 == 400)
    let many = Array(repeating: "\"p1\"", count: 1001).joined(separator: ",")
    let tooMany = try await store.post("/api/existing", #"{"entity":"Person","ids":[\#(many)]}"#)
    #expect(tooMany.0 == 400)
    await store.close()
  }
}
