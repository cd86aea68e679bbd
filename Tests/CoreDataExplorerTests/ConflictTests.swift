import CoreData
import Foundation
import Testing

@testable import CoreDataExplorer

/// Conflicts between changes in the explorer and saves of another process.
@Suite("Conflicts in the explorer")
struct ConflictTests {
  private let store: ExploredStore

  init() throws {
    store = try ExploredStore(RuledModel.make(), isWritable: true, RuledModel.fill)
  }

  /// The ID, as in URLs, of the row with a value.
  private func id(_ entity: String, _ key: String, _ value: String) async throws -> String {
    let page = try await store.json(
      "/api/tables/\(entity)?where=\(Address.escaped("\(key) == '\(value)'"))")
    return try #require((page["rows"] as? [[String: Any]])?.first?["id"] as? String)
  }

  private func perform(_ operation: String) async throws {
    let answer = try await store.post("/api/edit", #"{"operations":[\#(operation)]}"#)
    #expect(answer.0 == 200, "\(answer)")
  }

  private func set(_ entity: String, _ id: String, _ key: String, _ text: String) async throws {
    try await perform(
      #"{"op":"set","entity":"\#(entity)","id":"\#(id)","key":"\#(key)","text":"\#(text)"}"#)
  }

  private func delete(_ entity: String, _ id: String) async throws {
    try await perform(#"{"op":"delete","entity":"\#(entity)","ids":["\#(id)"]}"#)
  }

  /// Changes the row with a value in another process, or deletes it.
  private func changeElsewhere(
    _ entity: String, _ key: String, _ value: String, _ new: (key: String, value: String)?
  ) async throws {
    try await store.saveElsewhere { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.predicate = NSPredicate(format: "%K == %@", key, value)
      let object = try #require(try context.fetch(request).first)
      if let new { object.setValue(new.value, forKey: new.key) } else { context.delete(object) }
    }
  }

  /// The conflicts of a save, and the identifier of their state.
  private func conflicts(
    of answer: (Int, [String: Any])
  ) throws -> (conflicts: [[String: Any]], state: String) {
    #expect(answer.0 == 409, "\(answer)")
    return (
      try #require(answer.1["conflicts"] as? [[String: Any]]),
      try #require(answer.1["state"] as? String)
    )
  }

  private func resolve(_ keep: String, _ state: String) async throws -> (Int, [String: Any]) {
    try await store.post("/api/edit/resolve", #"{"keep":"\#(keep)","state":"\#(state)"}"#)
  }

  @Test("Keeping the explorer's change never deletes another row with the same unique value")
  func uniqueness() async throws {
    let item = try await id("Item", "code", "A")
    try await set("Item", item, "note", "mine")
    try await set("Item", item, "code", "B")
    try await changeElsewhere("Item", "code", "A", ("note", "theirs"))
    let met = try conflicts(of: try await store.post("/api/edit/save"))
    let saved = try await resolve("mine", met.state)
    #expect(saved.0 == 422 && (saved.1["problems"] as? [Any])?.isEmpty == false)
    _ = try await store.post("/api/edit/discard")
    #expect((try await store.json("/api/tables/Item")["rows"] as? [Any])?.count == 2)
    await store.close()
  }

  @Test(
    "A row deleted in the explorer and changed by another process is a conflict",
    arguments: ["mine", "theirs"])
  func deletedHere(keep: String) async throws {
    try await delete("Item", try await id("Item", "code", "A"))
    try await changeElsewhere("Item", "code", "A", ("note", "theirs"))
    let met = try conflicts(of: try await store.post("/api/edit/save"))
    #expect(met.conflicts.map { $0["kind"] as? String } == ["deletedHere"])
    let saved = try await resolve(keep, met.state)
    #expect(saved.0 == 200, "\(saved)")
    let rows = try await store.json("/api/tables/Item?columns=note")["rows"] as? [[String: Any]]
    #expect(rows?.count == (keep == "mine" ? 1 : 2))
    if keep == "theirs" { #expect((rows?[0]["cells"] as? [Any])?[0] as? String == "theirs") }
    await store.close()
  }

  @Test("A restored row restores the rows deleted with it, with their links")
  func comingBack() async throws {
    try await delete("Box", try await id("Box", "name", "Open"))
    #expect(try await store.json("/api/edit")["deleted"] as? Int == 3)
    try await changeElsewhere("Ball", "name", "Red", ("name", "Crimson"))
    let met = try conflicts(of: try await store.post("/api/edit/save"))
    #expect(met.conflicts.map { $0["entity"] as? String } == ["Ball"])
    #expect(try await resolve("theirs", met.state).0 == 200)
    let linked = try await store.json("/api/tables/Ball?where=box.name+%3D%3D+'Open'")
    #expect((linked["rows"] as? [Any])?.count == 2)
    #expect(try await id("Ball", "name", "Crimson").hasPrefix("p"))
    await store.close()
  }

  @Test("A row deleted in the explorer and by another process is not a conflict")
  func deletedByBoth() async throws {
    try await delete("Item", try await id("Item", "code", "A"))
    try await changeElsewhere("Item", "code", "A", nil)
    #expect(try await store.post("/api/edit/save").0 == 200)
    #expect(try await store.json("/api/edit")["deletedElsewhere"] as? Int == 0)
    await store.close()
  }

  @Test("Links that the explorer and another process made for the same row conflict")
  func links() async throws {
    let (box, ball) = (try await id("Box", "name", "Shut"), try await id("Ball", "name", "Free"))
    try await perform(
      """
      {"op":"link","entity":"Box","id":"\(box)","relationship":"balls",
      "other":{"entity":"Ball","id":"\(ball)"}}
      """)
    try await store.saveElsewhere { context in
      let boxes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Box"))
      let balls = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Ball"))
      let open = boxes.first { $0.value(forKey: "name") as? String == "Open" }
      balls.first { $0.value(forKey: "name") as? String == "Free" }?.setValue(open, forKey: "box")
    }
    let met = try conflicts(of: try await store.post("/api/edit/save"))
    let keys = try #require(met.conflicts.first?["keys"] as? [[String: Any]])
    #expect(keys.map { $0["key"] as? String } == ["box"] && keys[0]["cached"] is NSNull)
    await store.close()
  }

  @Test("A decision applies to the conflicts shown, and later saves are shown again")
  func staleDecisions() async throws {
    try await set("Item", try await id("Item", "code", "A"), "note", "mine")
    try await changeElsewhere("Item", "code", "A", ("note", "theirs"))
    let met = try conflicts(of: try await store.post("/api/edit/save"))
    try await changeElsewhere("Item", "code", "A", ("note", "again"))
    // The library may check the stored values only during the save.
    let again = try conflicts(of: try await resolve("mine", met.state))
    let key = try #require((again.conflicts.first?["keys"] as? [[String: Any]])?.first)
    #expect(key["theirs"] as? String == "again" && again.state != met.state)
    #expect(try await resolve("mine", again.state).0 == 200)
    let rows = try await store.json("/api/tables/Item?columns=note")["rows"] as? [[String: Any]]
    #expect((rows?[0]["cells"] as? [Any])?[0] as? String == "mine")
    await store.close()
  }

  @Test("Changes to a row that another process deleted are discarded, and other changes are saved")
  func gone() async throws {
    try await set("Item", try await id("Item", "code", "A"), "note", "lost")
    try await set("Item", try await id("Item", "code", "B"), "note", "kept")
    try await changeElsewhere("Item", "code", "A", nil)
    let met = try conflicts(of: try await store.post("/api/edit/save"))
    #expect(met.conflicts.map { $0["kind"] as? String } == ["deletedThere"])
    #expect(try await resolve("mine", met.state).0 == 409)
    let saved = try await resolve("present", met.state)
    #expect(saved.0 == 200 && saved.1["saved"] as? Int == 1, "\(saved)")
    let rows = try await store.json("/api/tables/Item?columns=note")["rows"] as? [[String: Any]]
    #expect(rows?.count == 1 && (rows?[0]["cells"] as? [Any])?[0] as? String == "kept")
    await store.close()
  }

  @Test("An undone change is not a conflict, whatever happened to its row")
  func undone() async throws {
    let ids = [try await id("Item", "code", "A"), try await id("Item", "code", "B")]
    for id in ids { try await set("Item", id, "note", "mine") }
    try await changeElsewhere("Item", "code", "B", nil)
    while try await store.json("/api/edit")["deletedElsewhere"] as? Int == 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    try await changeElsewhere("Item", "code", "A", ("note", "theirs"))
    for _ in ids { _ = try await store.post("/api/edit/undo") }
    #expect(try await store.json("/api/edit")["deletedElsewhere"] as? Int == 0)
    #expect(try await store.post("/api/edit/save").0 == 200)
    await store.close()
  }
}
