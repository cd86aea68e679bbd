import CoreData
import Foundation
import Testing

@testable import CoreDataExplorer

/// Source of the delete rules: the model of `Examples/Contacts`, where deleting a customer deletes
/// its jobs.
@Suite("Editing in the explorer")
struct EditingTests {
  private func pending(_ body: [String: Any]) throws -> [String: Any] {
    try #require(body["pending"] as? [String: Any])
  }

  private func value(_ key: String, of id: String, in store: ExploredStore) async throws -> String?
  {
    let object = try await store.json("/api/objects/Person/\(id)")
    let attributes = try #require(object["attributes"] as? [[String: Any]])
    return attributes.first { $0["name"] as? String == key }?["text"] as? String
  }

  private func set(_ id: String, _ key: String, _ text: String, entity: String = "Person") -> String
  {
    """
    {"operations":[{"op":"set","entity":"\(entity)","id":"\(id)","key":"\(key)","text":"\(text)"}]}
    """
  }

  @Test("A value can be set, undone, redone and saved")
  func values() async throws {
    let store = try ExploredStore(isWritable: true)
    let (status, answer) = try await store.post("/api/edit", set("p2", "lastName", "Bert"))
    #expect(status == 200)
    let changes = try #require(try pending(answer)["changes"] as? [[String: Any]])
    #expect(changes.count == 1 && changes[0]["kind"] as? String == "updated")
    let keys = try #require(changes[0]["keys"] as? [[String: Any]])
    #expect(keys[0]["old"] as? String == "Bob" && keys[0]["new"] as? String == "Bert")
    #expect(try await value("lastName", of: "p2", in: store) == "Bert")
    #expect(try pending(answer)["undoName"] as? String == "Change of lastName")
    // No other process sees it yet.
    #expect(try store.stored("lastName", of: 2) == "Bob")

    let undone = try await store.post("/api/edit/undo").1
    #expect(try pending(undone)["updated"] as? Int == 0)
    #expect(try pending(undone)["canRedo"] as? Bool == true)
    #expect(try await value("lastName", of: "p2", in: store) == "Bob")
    #expect(try pending(try await store.post("/api/edit/redo").1)["updated"] as? Int == 1)
    let saved = try await store.post("/api/edit/save")
    #expect(saved.0 == 200 && saved.1["saved"] as? Int == 1, "\(saved)")
    #expect(try store.stored("lastName", of: 2) == "Bert")
    await store.close()
  }

  @Test("Closing the explorer reports changes that were not saved", arguments: [true, false])
  func unsaved(_ isSaved: Bool) async throws {
    let store = try ExploredStore(isWritable: true)
    let edit = """
      {"operations":[{"op":"set","entity":"Person","id":"p1","key":"lastName","text":"Zoe"}]}
      """
    #expect(try await store.post("/api/edit", edit).0 == 200)
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
    #expect(try pending(try await store.post("/api/edit", two).1)["updated"] as? Int == 2)
    let refused = try await store.post(
      "/api/edit",
      """
      {"operations":[{"op":"set","entity":"Person","id":"p3","key":"age","text":"52"},
      {"op":"set","entity":"Person","id":"p3","key":"age","text":"many"}]}
      """)
    #expect(refused.0 == 400)
    let after = try await store.json("/api/edit")
    #expect(after["updated"] as? Int == 2 && after["canRedo"] as? Bool == false)
    #expect(try await value("age", of: "p3", in: store) == "3")
    #expect(try pending(try await store.post("/api/edit/undo").1)["updated"] as? Int == 0)
    #expect(try pending(try await store.post("/api/edit/undo").1)["canUndo"] as? Bool == false)
    await store.close()
  }

  @Test("A new object has a temporary ID until it is saved, and a permanent one afterwards")
  func insertion() async throws {
    let store = try ExploredStore(isWritable: true)
    let (status, answer) = try await store.post(
      "/api/edit",
      #"{"operations":[{"op":"insert","entity":"Person","values":{"lastName":"Dora","age":"9"}}]}"#)
    #expect(status == 200)
    let created = try #require(answer["created"] as? [[String: Any]])
    let id = try #require(created.first?["id"] as? String)
    #expect(id.hasPrefix("t"))
    let page = try await store.json("/api/tables/Person?where=lastName+%3D%3D+%27Dora%27")
    #expect((page["rows"] as? [[String: Any]])?.first?["id"] as? String == id)
    let saved = try await store.post("/api/edit/save")
    #expect((saved.1["ids"] as? [String: String])?[id] == "p4")
    #expect(try store.stored("lastName", of: 4) == "Dora")
    await store.close()
  }

  @Test("A violated rule is reported immediately, and again by the save")
  func rules() async throws {
    let store = try ExploredStore(isWritable: true)
    let made = try await store.post(
      "/api/edit", #"{"operations":[{"op":"insert","entity":"Team","values":{}}]}"#)
    #expect(made.0 == 200)
    let id = try #require((made.1["created"] as? [[String: Any]])?.first?["id"] as? String)
    let emptied = try await store.post(
      "/api/edit",
      #"{"operations":[{"op":"set","entity":"Team","id":"\#(id)","key":"name","text":null}]}"#)
    let isRequired = try !problems(of: emptied.1).isEmpty
    let saved = try await store.post("/api/edit/save")
    #expect(saved.0 == (isRequired ? 422 : 200))
    // A string that does not fit the attribute's type is rejected.
    #expect(try await store.post("/api/edit", set("p1", "age", "x")).0 == 400)
    #expect(try await store.post("/api/edit", set("p1", "agee", "1")).0 == 400)
    #expect(try await store.post("/api/edit", set("p99", "age", "1")).0 == 404)
    await store.close()
  }

  /// The properties with a problem.
  private func problems(of body: [String: Any]) throws -> [String?] {
    let problems = try #require(try pending(body)["problems"] as? [[String: Any]])
    return problems.map { $0["key"] as? String }
  }

  @Test("A problem lasts as long as its value, whichever request changes the value")
  func endsOfProblems() async throws {
    let model = RuledModel.make()
    try #require(model.entitiesByName["Ball"]?.attributesByName["weight"])
      .setValidationPredicates(
        [NSPredicate(format: "SELF <= 130")], withValidationWarnings: ["too heavy"])
    let store = try ExploredStore(model, isWritable: true, RuledModel.fill)
    func problems(after path: String, _ body: String = "{}") async throws -> [String?] {
      try self.problems(of: try await store.post("/api/edit" + path, body).1)
    }
    let page = try await store.json("/api/tables/Ball")
    let ball = try #require((page["rows"] as? [[String: Any]])?.first?["id"] as? String)
    let tooHeavy = set(ball, "weight", "500", entity: "Ball")
    #expect(try await problems(after: "", tooHeavy) == ["weight"])
    #expect(try await problems(after: "/undo").isEmpty)
    #expect(try await problems(after: "/redo") == ["weight"])
    #expect(try await problems(after: "", set(ball, "name", "B", entity: "Ball")) == ["weight"])
    #expect(try await problems(after: "", set(ball, "weight", "130", entity: "Ball")).isEmpty)
    #expect(try await problems(after: "", tooHeavy) == ["weight"])
    #expect(try await problems(after: "/discard").isEmpty)
    let insertion =
      #"{"operations":[{"op":"insert","entity":"Ball","values":{"weight":"500"}}]}"#
    #expect(try await problems(after: "", insertion) == ["weight"])
    #expect(try await problems(after: "/undo").isEmpty)
    // Only a save finds that a value is not unique.
    let items = try await store.json("/api/tables/Item?where=\(Address.escaped("code == 'A'"))")
    let item = try #require((items["rows"] as? [[String: Any]])?.first?["id"] as? String)
    #expect(try await problems(after: "", set(item, "code", "B", entity: "Item")).isEmpty)
    #expect(try await problems(after: "/save") == ["code"])
    #expect(try await problems(after: "", set(item, "note", "N", entity: "Item")) == ["code"])
    #expect(try await problems(after: "/undo") == ["code"])
    #expect(try await problems(after: "/undo").isEmpty)
    #expect(try await problems(after: "/redo") == ["code"])
    await store.close()
  }

  @Test(
    "A value that another process saved is a conflict with three values",
    arguments: ["mine", "theirs"])
  func conflicts(keep: String) async throws {
    let store = try ExploredStore(isWritable: true)
    _ = try await store.post("/api/edit", set("p2", "lastName", "Bert"))
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
    guard case .stream(let events) = await store.get("/api/tables/Person/events").body else {
      Issue.record("the response is not a stream")
      return
    }
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
    #expect(try await store.post("/api/edit", set("p2", "lastName", "Bert")).0 == 200)
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
    // Keeps the client's stream open until here: the explorer closes a table that has had no client for a while.
    withExtendedLifetime(events) {}
    await store.close()
  }

  @Test(
    "A rejected request reverts the changes it began with, and no earlier step")
  func refusals() async throws {
    let store = try ExploredStore(isWritable: true)
    _ = try await store.post("/api/edit", set("p1", "lastName", "Anna"))
    let gone = #"{"operations":[{"op":"delete","entity":"Person","ids":["p2","p99"]}]}"#
    #expect(try await store.post("/api/edit", gone).0 == 404)
    let nothing = """
      {"operations":[{"op":"set","entity":"Person","id":"p1","key":"lastName","text":"Anna"},
      {"op":"set","entity":"Person","id":"p1","key":"age","text":"old"}]}
      """
    #expect(try await store.post("/api/edit", nothing).0 == 400)
    let pending = try await store.json("/api/edit")
    #expect(pending["deleted"] as? Int == 0 && pending["updated"] as? Int == 1)
    #expect(try await value("lastName", of: "p1", in: store) == "Anna")
    await store.close()
  }

  @Test("An object keeps its first ID until it is saved, even if live results have another one")
  func firstNames() async throws {
    let store = try ExploredStore(isWritable: true)
    let made = try await store.post(
      "/api/edit",
      #"{"operations":[{"op":"insert","entity":"Person","values":{"lastName":"Dora"}}]}"#)
    let id = try #require((made.1["created"] as? [[String: Any]])?.first?["id"] as? String)
    guard case .stream(let events) = await store.get("/api/tables/Person/events").body else {
      Issue.record("the response is not a stream")
      return
    }
    #expect(try await store.post("/api/edit", set(id, "age", "5")).0 == 200)
    let object = try await store.json("/api/objects/Person/\(id)")
    #expect(object["temporary"] as? Bool == true && object["label"] as? String == "Dora")
    let saved = try await store.post("/api/edit/save")
    #expect((saved.1["ids"] as? [String: String])?[id] == "p4")
    // Keeps the client's stream open until here: the explorer closes a table that has had no client for a while.
    withExtendedLifetime(events) {}
    await store.close()
  }

  @Test("A save returns the new IDs of its own objects, and not of earlier ones")
  func newNames() async throws {
    let store = try ExploredStore(isWritable: true)
    var names: [String: String] = [:]
    for name in ["Dora", "Emil"] {
      let edit =
        #"{"operations":[{"op":"insert","entity":"Person","values":{"lastName":"\#(name)"}}]}"#
      #expect(try await store.post("/api/edit", edit).0 == 200)
      names = try #require(try await store.post("/api/edit/save").1["ids"] as? [String: String])
    }
    #expect(Array(names.values) == ["p5"])
    await store.close()
  }

  @Test("A deletion can be previewed, and deletes what was shown")
  func deletion() async throws {
    let store = try ExploredStore(isWritable: true)
    let made = try await store.post(
      "/api/edit",
      #"{"operations":[{"op":"insert","entity":"Customer","values":{"lastName":"Blue"}}]}"#)
    let customer = try #require((made.1["created"] as? [[String: Any]])?.first?["id"] as? String)
    for name in ["Kim", "Lea"] {
      let job = try await store.post(
        "/api/edit",
        """
        {"operations":[{"op":"insert","entity":"Job","values":{"title":"\(name)"},
        "into":{"entity":"Customer","id":"\(customer)","relationship":"jobs"}}]}
        """)
      #expect(job.0 == 200)
    }
    let saved = try await store.post("/api/edit/save")
    let id = try #require((saved.1["ids"] as? [String: String])?[customer])
    let preview = try await store.post(
      "/api/edit/preview", #"{"delete":{"entity":"Customer","ids":["\#(id)"]}}"#
    ).1
    #expect(preview["total"] as? Int == 3)
    let rules = try #require(preview["rules"] as? [[String: Any]])
    try #require(rules.count == 1)
    #expect(rules[0]["count"] as? Int == 2)
    #expect(rules[0]["rule"] as? String == "Cascade")
    // The preview changed nothing.
    #expect(try await store.json("/api/edit")["deleted"] as? Int == 0)
    let deleted = try await store.post(
      "/api/edit", #"{"operations":[{"op":"delete","entity":"Customer","ids":["\#(id)"]}]}"#)
    #expect(try pending(deleted.1)["deleted"] as? Int == 3)
    #expect(try await store.post("/api/edit/discard").0 == 200)
    #expect(try await store.json("/api/edit")["canUndo"] as? Bool == false)
    await store.close()
  }

  @Test("Deleting rows of several entities also deletes what their delete rules require")
  func mixedDeletion() async throws {
    let store = try ExploredStore(RuledModel.make(), isWritable: true, RuledModel.fill)
    let page = try await store.json("/api/tables/Thing?where=name+!=+'Shut'")
    let ids = try #require(page["rows"] as? [[String: Any]]).compactMap { $0["id"] as? String }
    #expect(ids.count == 4)
    let list = (ids + [ids[0]]).map { "\"\($0)\"" }.joined(separator: ",")
    let preview = try await store.post(
      "/api/edit/preview", #"{"delete":{"entity":"Thing","ids":[\#(list)]}}"#
    ).1
    let rules = try #require(preview["rules"] as? [[String: Any]])
    #expect(rules.map { $0["relationship"] as? String } == ["balls", "box"])
    #expect(preview["total"] as? Int == 4)
    let deleted = try await store.post(
      "/api/edit", #"{"operations":[{"op":"delete","entity":"Thing","ids":[\#(list)]}]}"#)
    #expect(try pending(deleted.1)["deleted"] as? Int == 4)
    await store.close()
  }

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
    let insertion =
      #"{"operations":[{"op":"insert","entity":"Person","values":{"lastName":"New"}}]}"#
    let created = try await store.post("/api/edit", insertion).1["created"] as? [[String: Any]]
    let id = try #require(created?.first?["id"] as? String)
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
    let change =
      #"{"operations":[{"op":"set","entity":"Person","id":"p2","key":"age","text":"1"}]}"#
    #expect(try await store.post("/api/edit", change).0 == 200)
    #expect(try await existing("age > 1") == ["p3"])
    let wrong = #"{"entity":"Person","where":"age >","ids":["p1"]}"#
    #expect(try await store.post("/api/existing", wrong).0 == 400)
    let many = Array(repeating: "\"p1\"", count: 1001).joined(separator: ",")
    let tooMany = try await store.post("/api/existing", #"{"entity":"Person","ids":[\#(many)]}"#)
    #expect(tooMany.0 == 400)
    await store.close()
  }

  @Test("The rule of a relationship that several subentities inherit is shown once")
  func inheritedRule() async throws {
    let model = RuledModel.make()
    let thing = try #require(model.entitiesByName["Thing"])
    let lock = try #require(model.entitiesByName["Lock"])
    RuledModel.connect(lock, "things", .nullifyDeleteRule, thing, "keeper")
    let store = try ExploredStore(model, isWritable: true) { context in
      func insert(_ entity: String) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      }
      let keepers = [insert("Lock"), insert("Lock")]
      for (number, entity) in ["Box", "Ball", "Ball"].enumerated() {
        insert(entity).setValue(keepers[number / 2], forKey: "keeper")
      }
    }
    let page = try await store.json("/api/tables/Thing")
    let ids = try #require(page["rows"] as? [[String: Any]]).compactMap { $0["id"] as? String }
    #expect(ids.count == 3)
    let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
    let preview = try await store.post(
      "/api/edit/preview", #"{"delete":{"entity":"Thing","ids":[\#(list)]}}"#
    ).1
    let rules = try #require(preview["rules"] as? [[String: Any]])
    try #require(rules.count == 1)
    #expect(rules[0]["relationship"] as? String == "keeper")
    #expect(rules[0]["count"] as? Int == 2)
    await store.close()
  }

  @Test("Moving a row changes as few order numbers as possible, and creates missing ones")
  func moving() async throws {
    let store = try ExploredStore(["A", "B", "C", "D"], isWritable: true)
    for (place, number) in [10, 20, 20, 40].enumerated() {
      _ = try await store.post("/api/edit", set("p\(place + 1)", "displayOrder", "\(number)"))
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
      return try pending(moved.1)["updated"] as? Int ?? -1
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

  @Test("A batch is counted, confirmed, executed and visible")
  func batches() async throws {
    let store = try ExploredStore(isWritable: true)
    let body = #"{"entity":"Person","where":"age > 1","set":{"firstName":"Max"}"#
    let preview = try await store.post("/api/bulk/preview", body + "}")
    #expect(preview.0 == 200 && preview.1["count"] as? Int == 2)
    #expect((preview.1["sample"] as? [Any])?.count == 2)
    #expect(try await store.post("/api/bulk", body + #","confirm":3}"#).0 == 409)
    let done = try await store.post("/api/bulk", body + #","confirm":2}"#)
    #expect(done.0 == 200 && done.1["count"] as? Int == 2)
    #expect(try await value("firstName", of: "p3", in: store) == "Max")
    _ = try await store.post("/api/edit", set("p1", "age", "70"))
    let gone = #"{"entity":"Person","where":"age == 2","delete":true,"confirm":1}"#
    #expect(try await store.post("/api/bulk", gone).0 == 409)
    _ = try await store.post("/api/edit/save")
    #expect(try await store.post("/api/bulk", gone).1["count"] as? Int == 1)
    #expect(await store.get("/api/objects/Person/p2").status == 404)
    await store.close()
  }

  @Test("A read-only store is not changed, and neither are the files beside it")
  func reading() async throws {
    let store = try ExploredStore()
    for target in [
      "/", "/entities/Person", "/api/tables/Person?sort=lastName", "/api/objects/Person/p1",
      "/api/history", "/api/tables/Person/export.csv",
    ] {
      #expect(await store.get(target).status == 200)
      _ = try await store.text(target)
    }
    #expect(try await store.post("/api/edit", set("p1", "age", "7")).0 == 403)
    #expect(try await store.post("/api/edit/save").0 == 403)
    let bulk = #"{"entity":"Person","delete":true,"confirm":3}"#
    #expect(try await store.post("/api/bulk", bulk).0 == 403)
    await store.close()
    #expect(try store.filesAfter() == store.filesBefore)
  }

  @Test(
    "Closing the explorer removes the index of a leftover log, and leaves all files unchanged")
  func leftoverLog() async throws {
    let store = try ExploredStore()
    let original = store.url.path
    let folder = store.folder.appendingPathComponent("copy")
    let copy = folder.appendingPathComponent("Contacts.sqlite")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The writer's last changes are in the log, and the writer is gone.
    try await store.saveElsewhere { context in
      NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
        .setValue("In the log", forKey: "name")
      try context.save()
      for ending in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: original + ending, toPath: copy.path + ending)
      }
    }
    func files() throws -> [String: Data] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).reduce(into: [:]) {
        $0[$1] = try Data(contentsOf: folder.appendingPathComponent($1))
      }
    }
    let before = try files()
    #expect(before["Contacts.sqlite-wal"]?.isEmpty == false)
    let explorer = try Explorer(
      opening: copy.path, model: nil, isWritable: false, admission: Admission(token: "secret"),
      limits: ExploredStore.limits)
    let answer = await explorer.answer(
      to: WebRequest(
        method: "GET", target: "/entities/Team",
        headers: [("Host", "localhost:80"), ("Cookie", store.cookie)]))
    guard case .data(let page) = answer.body else {
      Issue.record("the response has no data")
      return
    }
    #expect(String(decoding: page, as: UTF8.self).contains("In the log"))
    await explorer.close { Issue.record("\($0)") }
    #expect(try files() == before)
    await store.close()
  }
}
