import Foundation
import Testing

@Suite("Editing in the explorer")
struct EditingTests {
  @Test("A value can be set, undone, redone and saved")
  func values() async throws {
    let store = try ExploredStore(isWritable: true)
    let (status, answer) = try await store.set("p2", "lastName", "Bert")
    #expect(status == 200)
    let changes = try #require(try answer.pending["changes"] as? [[String: Any]])
    #expect(changes.count == 1 && changes[0]["kind"] as? String == "updated")
    let keys = try #require(changes[0]["keys"] as? [[String: Any]])
    #expect(keys[0]["old"] as? String == "Bob" && keys[0]["new"] as? String == "Bert")
    #expect(try await store.value("lastName", of: "p2") == "Bert")
    #expect(try answer.pending["undoName"] as? String == "Change of lastName")
    // No other process sees it yet.
    #expect(try store.stored("lastName", of: 2) == "Bob")

    let undone = try await store.post("/api/edit/undo").1
    #expect(try undone.pending["updated"] as? Int == 0)
    #expect(try undone.pending["canRedo"] as? Bool == true)
    #expect(try await store.value("lastName", of: "p2") == "Bob")
    #expect(try await store.post("/api/edit/redo").1.pending["updated"] as? Int == 1)
    let saved = try await store.post("/api/edit/save")
    #expect(saved.0 == 200 && saved.1["saved"] as? Int == 1, "\(saved)")
    #expect(try store.stored("lastName", of: 2) == "Bert")
    await store.close()
  }

  @Test("Closing the explorer reports changes that were not saved", arguments: [true, false])
  func unsaved(_ isSaved: Bool) async throws {
    let store = try ExploredStore(isWritable: true)
    #expect(try await store.set("p1", "lastName", "Zoe").0 == 200)
    if isSaved { #expect(try await store.post("/api/edit/save").0 == 200) }
    var notes: [String] = []
    await store.close { notes.append($0) }
    #expect(notes == (isSaved ? [] : ["note: unsaved changes were discarded\n"]))
  }

  @Test("A request is one undo step, and a rejected request changes nothing")
  func steps() async throws {
    let store = try ExploredStore(isWritable: true)
    let two = """
      {"operations":[{"op":"set","entity":"Person","id":"p1","key":"age","text":"50"},
      {"op":"set","entity":"Person","id":"p2","key":"age","text":"51"}]}
      """
    #expect(try await store.post("/api/edit", two).1.pending["updated"] as? Int == 2)
    let refused = try await store.post(
      "/api/edit",
      """
      {"operations":[{"op":"set","entity":"Person","id":"p3","key":"age","text":"52"},
      {"op":"set","entity":"Person","id":"p3","key":"age","text":"many"}]}
      """)
    #expect(refused.0 == 400)
    let after = try await store.json("/api/edit")
    #expect(after["updated"] as? Int == 2 && after["canRedo"] as? Bool == false)
    #expect(try await store.value("age", of: "p3") == "3")
    #expect(try await store.post("/api/edit/undo").1.pending["updated"] as? Int == 0)
    #expect(try await store.post("/api/edit/undo").1.pending["canUndo"] as? Bool == false)
    await store.close()
  }

  @Test(
    "A rejected request reverts the changes it began with, and no earlier step")
  func refusals() async throws {
    let store = try ExploredStore(isWritable: true)
    _ = try await store.set("p1", "lastName", "Anna")
    let gone = #"{"operations":[{"op":"delete","entity":"Person","ids":["p2","p99"]}]}"#
    #expect(try await store.post("/api/edit", gone).0 == 404)
    let nothing = """
      {"operations":[{"op":"set","entity":"Person","id":"p1","key":"lastName","text":"Anna"},
      {"op":"set","entity":"Person","id":"p1","key":"age","text":"old"}]}
      """
    #expect(try await store.post("/api/edit", nothing).0 == 400)
    let pending = try await store.json("/api/edit")
    #expect(pending["deleted"] as? Int == 0 && pending["updated"] as? Int == 1)
    #expect(try await store.value("lastName", of: "p1") == "Anna")
    await store.close()
  }

  @Test("Moving a row changes as few order numbers as possible, and creates missing ones")
  func moving() async throws {
    let store = try ExploredStore(["A", "B", "C", "D"], isWritable: true)
    for (place, number) in [10, 20, 20, 40].enumerated() {
      _ = try await store.set("p\(place + 1)", "displayOrder", "\(number)")
    }
    _ = try await store.post("/api/edit/save")
    func move(_ id: String, to place: Int) async throws -> Int {
      let moved = try await store.post(
        "/api/edit",
        """
        {"operations":[{"op":"move","entity":"Person","id":"\(id)","to":\(place),"where":"",
        "sort":"displayOrder","section":""}]}
        """)
      #expect(moved.0 == 200)
      return try moved.1.pending["updated"] as? Int ?? -1
    }
    func order() async throws -> [String?] {
      let page = try await store.json("/api/tables/Person?sort=displayOrder&columns=lastName")
      return (page["rows"] as? [[String: Any]] ?? []).map { ($0["cells"] as? [Any])?[0] as? String }
    }
    #expect(try await move("p1", to: 2) > 0)
    #expect(try await order() == ["B", "C", "A", "D"])
    _ = try await move("p4", to: 0)
    #expect(try await order() == ["D", "B", "C", "A"])
    _ = try await move("p4", to: 3)
    #expect(try await order() == ["B", "C", "A", "D"])
    let page = try await store.json("/api/tables/Person?sort=displayOrder")
    #expect(page["reorderable"] as? String == "displayOrder")
    // `age` does not store an order, so the rows cannot be reordered.
    #expect(try await store.json("/api/tables/Person?sort=age")["reorderable"] is NSNull)
    await store.close()
  }
}
