import CoreData
import Foundation
import Testing

@Suite("Edited rows that another process changes")
struct ForeignChangeTests {
  @Test(
    "A value that another process saved is a conflict with three values",
    arguments: ["mine", "theirs"])
  func conflicts(keep: String) async throws {
    let store = try ExploredStore(isWritable: true)
    _ = try await store.set("p2", "lastName", "Bert")
    try await store.saveElsewhere { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      request.predicate = NSPredicate(format: "lastName == 'Bob'")
      let person = try #require(try context.fetch(request).first)
      person.setValue("Bodo", forKey: "lastName")
    }
    var saved = try await store.post("/api/edit/save")
    let conflicts = try #require(saved.1["conflicts"] as? [[String: Any]])
    #expect(saved.0 == 409 && conflicts.count == 1)
    let key = try #require((conflicts[0]["keys"] as? [[String: Any]])?.first)
    #expect(key["cached"] as? String == "Bob")
    #expect(key["mine"] as? String == "Bert")
    #expect(key["theirs"] as? String == "Bodo")
    let state = try #require(saved.1["state"] as? String)
    saved = try await store.post(
      "/api/edit/resolve", #"{"keep":"\#(keep)","state":"\#(state)"}"#)
    #expect(saved.0 == 200)
    #expect(try store.stored("lastName", of: 2) == (keep == "mine" ? "Bert" : "Bodo"))
    await store.close()
  }

  @Test(
    "A row deleted by another process is a conflict only if it was changed here"
  )
  func deletedElsewhere() async throws {
    let store = try ExploredStore(isWritable: true)
    let events = try await store.events(of: "Person")
    try await store.saveElsewhere { context in
      let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
      for person in people where person.value(forKey: "lastName") as? String == "Cora" {
        context.delete(person)
      }
    }
    func rows() async throws -> Int {
      (try await store.json("/api/tables/Person")["rows"] as? [Any])?.count ?? 0
    }
    while try await rows() == 3 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try await store.json("/api/edit")["deleted"] as? Int == 0)
    #expect(try await store.set("p2", "lastName", "Bert").0 == 200)
    try await store.saveElsewhere { context in
      let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
      for person in people where person.value(forKey: "lastName") as? String == "Bob" {
        context.delete(person)
      }
    }
    while try await rows() == 2 { try await Task.sleep(for: .milliseconds(10)) }
    while try await store.json("/api/edit")["deletedElsewhere"] as? Int == 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    let changes = try #require(try await store.json("/api/edit")["changes"] as? [[String: Any]])
    #expect(changes.map { $0["kind"] as? String } == ["deletedElsewhere"])
    let saved = try await store.post("/api/edit/save")
    let conflicts = try #require(saved.1["conflicts"] as? [[String: Any]])
    #expect(saved.0 == 409 && conflicts.first?["kind"] as? String == "deletedThere")
    let state = try #require(saved.1["state"] as? String)
    #expect(
      try await store.post("/api/edit/resolve", #"{"keep":"theirs","state":"\#(state)"}"#).0 == 200)
    withExtendedLifetime(events) {}
    await store.close()
  }
}
