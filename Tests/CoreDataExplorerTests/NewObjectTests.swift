import Testing

@Suite("New objects in the explorer")
struct NewObjectTests {
  @Test("A new object has a temporary ID until it is saved, and a permanent one afterwards")
  func insertion() async throws {
    let store = try ExploredStore(isWritable: true)
    let id = try await store.insert("Person", #""lastName":"Dora","age":"9""#)
    #expect(id.hasPrefix("t"))
    #expect(try await store.ids("/api/tables/Person?where=lastName+%3D%3D+%27Dora%27").first == id)
    let saved = try await store.post("/api/edit/save")
    #expect((saved.1["ids"] as? [String: String])?[id] == "p4")
    #expect(try store.stored("lastName", of: 4) == "Dora")
    await store.close()
  }

  @Test("An object keeps its first ID until it is saved, even if live results have another one")
  func firstNames() async throws {
    let store = try ExploredStore(isWritable: true)
    let id = try await store.insert("Person", #""lastName":"Dora""#)
    let events = try await store.events(of: "Person")
    #expect(try await store.set(id, "age", "5").0 == 200)
    let object = try await store.json("/api/objects/Person/\(id)")
    #expect(object["temporary"] as? Bool == true && object["label"] as? String == "Dora")
    let saved = try await store.post("/api/edit/save")
    #expect((saved.1["ids"] as? [String: String])?[id] == "p4")
    withExtendedLifetime(events) {}
    await store.close()
  }

  @Test("A save returns the new IDs of its own objects, and not of earlier ones")
  func newNames() async throws {
    let store = try ExploredStore(isWritable: true)
    var names: [String: String] = [:]
    for name in ["Dora", "Emil"] {
      _ = try await store.insert("Person", #""lastName":"\#(name)""#)
      names = try #require(try await store.post("/api/edit/save").1["ids"] as? [String: String])
    }
    #expect(Array(names.values) == ["p5"])
    await store.close()
  }
}
