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

  /// Waits until the explorer has merged a value that another process saved.
  private func waitForMerge(
    of value: String, for key: String, _ entity: String, in store: ExploredStore
  ) async throws {
    let context = store.explorer.context
    while await !context.perform({
      context.registeredObjects.contains {
        $0.entity.name == entity
          && $0.committedValues(forKeys: [key])[key] as? String == value
      }
    }) { try await Task.sleep(for: .milliseconds(10)) }
  }

  /// Saves a note to the row with the code A in another process, and waits until the explorer has merged it.
  private func mergeNote(_ note: String) async throws {
    try await changeElsewhere("Item", "code", "A", ("note", note))
    try await waitForMerge(of: note, for: "note", "Item", in: store)
  }

  /// The note of the row with the code A, as the explorer shows it.
  private func note() async throws -> String? {
    let target = "/api/tables/Item?columns=note&where=\(Address.escaped("code == 'A'"))"
    let rows = try await store.json(target)["rows"] as? [[String: Any]]
    return (rows?.first?["cells"] as? [Any])?.first as? String
  }

  /// The three values of the only property in conflict.
  private func values(of conflicts: [[String: Any]]) throws -> [String?] {
    let keys = try #require(conflicts.first?["keys"] as? [[String: Any]])
    try #require(keys.count == 1)
    return ["cached", "mine", "theirs"].map { keys[0][$0] as? String }
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

  /// Links the ball without a box to one box in the explorer, and to the other one in another process, which may also
  /// rename the ball.
  private func linkFreeBallTwice(renamingTo name: String = "Free") async throws {
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
      let free = balls.first { $0.value(forKey: "name") as? String == "Free" }
      free?.setValue(open, forKey: "box")
      free?.setValue(name, forKey: "name")
    }
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
    try await linkFreeBallTwice()
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
    try await mergeNote("theirs")
    for _ in ids { #expect(try await store.post("/api/edit/undo").0 == 200) }
    let pending = try await store.json("/api/edit")
    #expect(pending["deletedElsewhere"] as? Int == 0 && pending["updated"] as? Int == 0)
    // With unsaved changes, a batch would be refused.
    let bulk = #"{"entity":"Item","where":"code == 'none'","delete":true,"confirm":0}"#
    #expect(try await store.post("/api/bulk", bulk).0 == 200)
    #expect(try await store.post("/api/edit/save").0 == 200)
    #expect(try await note() == "theirs")
    await store.close()
  }

  @Test("Redoing a change is a conflict if another process has saved a value since")
  func redone() async throws {
    try await set("Item", try await id("Item", "code", "A"), "note", "mine")
    try await mergeNote("theirs")
    for _ in 0..<2 {
      #expect(try await store.post("/api/edit/undo").0 == 200)
      #expect(try await note() == "theirs")
      #expect(try await store.post("/api/edit/redo").0 == 200)
      let met = try conflicts(of: try await store.post("/api/edit/save"))
      #expect(try values(of: met.conflicts) == [nil, "mine", "theirs"])
    }
    // After the decision to keep the change, an undo still leaves the other value.
    try await set("Item", try await id("Item", "code", "A"), "code", "B")
    let met = try conflicts(of: try await store.post("/api/edit/save"))
    #expect(try await resolve("mine", met.state).0 == 422)
    for _ in 0..<2 { #expect(try await store.post("/api/edit/undo").0 == 200) }
    #expect(try await store.post("/api/edit/save").0 == 200)
    #expect(try await note() == "theirs")
    await store.close()
  }

  @Test("Undoing a saved change is a conflict if another process has saved a value since")
  func savedAndUndone() async throws {
    let item = try await id("Item", "code", "A")
    for text in ["first", "mine"] {
      try await set("Item", item, "note", text)
      #expect(try await store.post("/api/edit/save").0 == 200)
    }
    try await mergeNote("theirs")
    for earlier in ["first", nil] {
      #expect(try await store.post("/api/edit/undo").0 == 200)
      let met = try conflicts(of: try await store.post("/api/edit/save"))
      #expect(try values(of: met.conflicts) == ["mine", earlier, "theirs"])
    }
    await store.close()
  }

  @Test("Redoing a deletion is a conflict if another process has changed the row since")
  func redoneDeletion() async throws {
    try await delete("Item", try await id("Item", "code", "A"))
    try await mergeNote("theirs")
    #expect(try await store.post("/api/edit/undo").0 == 200)
    #expect(try await note() == "theirs")
    #expect(try await store.post("/api/edit/redo").0 == 200)
    let met = try conflicts(of: try await store.post("/api/edit/save"))
    #expect(met.conflicts.map { $0["kind"] as? String } == ["deletedHere"])
    await store.close()
  }

  @Test("An undone link leaves the link that another process made")
  func undoneLink() async throws {
    try await linkFreeBallTwice(renamingTo: "Linked")
    try await waitForMerge(of: "Linked", for: "name", "Ball", in: store)
    #expect(try await store.post("/api/edit/undo").0 == 200)
    #expect(try await store.json("/api/edit")["updated"] as? Int == 0)
    #expect(try await store.post("/api/edit/save").0 == 200)
    for (name, count) in [("Open", 3), ("Shut", 0)] {
      let condition = Address.escaped("box.name == '\(name)'")
      let rows = try await store.json("/api/tables/Ball?where=\(condition)")["rows"] as? [Any]
      #expect(rows?.count == count, "\(name)")
    }
    await store.close()
  }

  @Test("An undone move leaves the order that another process made")
  func undoneMove() async throws {
    let model = RuledModel.make()
    let (lock, item) = (
      try #require(model.entitiesByName["Lock"]), try #require(model.entitiesByName["Item"])
    )
    RuledModel.connect(lock, "items", .nullifyDeleteRule, item, "lock")
    lock.relationshipsByName["items"]?.isOrdered = true
    let store = try ExploredStore(model, isWritable: true) { context in
      let lock = NSEntityDescription.insertNewObject(forEntityName: "Lock", into: context)
      let items = ["A", "B", "C"].map { code in
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue(code, forKey: "code")
        return item
      }
      lock.setValue(NSOrderedSet(array: items), forKey: "items")
    }
    func rows(_ target: String) async throws -> [[String: Any]] {
      try #require(try await store.json(target)["rows"] as? [[String: Any]])
    }
    let items = try await rows("/api/tables/Item?columns=code&sort=code")
      .map { $0["id"] as? String }
    /// The codes of the members in their order.
    func codes() async throws -> String {
      try await rows("/api/objects/Lock/p1/items").map { row in
        items.firstIndex(of: row["id"] as? String).map { ["A", "B", "C"][$0] } ?? "?"
      }.joined()
    }
    let first = try #require(items.first ?? nil)
    let move = """
      {"operations":[{"op":"move","entity":"Item","id":"\(first)","to":2,
      "in":{"entity":"Lock","id":"p1","relationship":"items"}}]}
      """
    #expect(try await store.post("/api/edit", move).0 == 200)
    #expect(try await codes() == "BCA")
    try await store.saveElsewhere { context in
      let locks = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Lock"))
      let items = try #require(locks.first?.mutableOrderedSetValue(forKey: "items"))
      items.moveObjects(at: IndexSet(integer: 2), to: 0)
      locks.first?.setValue("Moved", forKey: "name")
    }
    try await waitForMerge(of: "Moved", for: "name", "Lock", in: store)
    #expect(try await store.post("/api/edit/undo").0 == 200)
    #expect(try await store.json("/api/edit")["updated"] as? Int == 0)
    #expect(try await store.post("/api/edit/save").0 == 200)
    #expect(try await codes() == "CAB")
    await store.close()
  }

  @Test("Undoing a request keeps an earlier change that the request had reverted")
  func revertedAndUndone() async throws {
    let (red, blue) = (try await id("Ball", "name", "Red"), try await id("Ball", "name", "Blue"))
    try await set("Ball", red, "name", "Mine")
    try await perform(
      """
      {"op":"set","entity":"Ball","id":"\(red)","key":"name","text":"Red"},
      {"op":"set","entity":"Ball","id":"\(blue)","key":"name","text":"Undone"}
      """)
    #expect(try await store.post("/api/edit/undo").0 == 200)
    #expect(try await store.json("/api/edit")["updated"] as? Int == 1)
    #expect(try await store.post("/api/edit/save").1["saved"] as? Int == 1)
    try await store.saveElsewhere { context in
      let balls = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Ball"))
      let names = balls.compactMap { $0.value(forKey: "name") as? String }
      #expect(names.sorted() == ["Blue", "Free", "Mine"])
    }
    await store.close()
  }

  @Test("Undoing the deletion of a row keeps an unsaved link to it", arguments: [false, true])
  func linkedAndDeleted(isUndoneFurther: Bool) async throws {
    let model = RuledModel.make()
    let (lock, item) = (
      try #require(model.entitiesByName["Lock"]), try #require(model.entitiesByName["Item"])
    )
    RuledModel.connect(lock, "items", .nullifyDeleteRule, item, "lock")
    let store = try ExploredStore(model, isWritable: true) { context in
      let lock = NSEntityDescription.insertNewObject(forEntityName: "Lock", into: context)
      for code in ["A", "B"] {
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue(code, forKey: "code")
        if code == "A" { item.setValue(lock, forKey: "lock") }
      }
    }
    let page = try await store.json("/api/tables/Item?columns=code&sort=code")
    let rows = try #require(page["rows"] as? [[String: Any]])
    let free = try #require(rows.last?["id"] as? String)
    for operation in [
      #"""
      {"op":"link","entity":"Lock","id":"p1","relationship":"items",
      "other":{"entity":"Item","id":"\#(free)"}}
      """#,
      #"{"op":"delete","entity":"Lock","ids":["p1"]}"#,
    ] {
      let answer = try await store.post("/api/edit", #"{"operations":[\#(operation)]}"#)
      #expect(answer.0 == 200, "\(answer)")
    }
    #expect(try await store.post("/api/edit/undo").0 == 200)
    // The lock and the item.
    #expect(try await store.json("/api/edit")["updated"] as? Int == 2)
    if isUndoneFurther {
      #expect(try await store.post("/api/edit/undo").0 == 200)
      #expect(try await store.json("/api/edit")["updated"] as? Int == 0)
    }
    #expect(try await store.post("/api/edit/save").0 == 200)
    try await store.saveElsewhere { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
      request.predicate = NSPredicate(format: "lock != nil")
      let codes = try context.fetch(request).compactMap { $0.value(forKey: "code") as? String }
      #expect(codes.sorted() == (isUndoneFurther ? ["A"] : ["A", "B"]))
    }
    await store.close()
  }
}
