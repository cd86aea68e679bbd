import CoreData
import Testing

/// Source of the delete rules: the model of `Examples/Contacts`, where deleting a customer deletes its jobs.
@Suite("Deletions in the explorer")
struct DeletionTests {
  private func list(_ ids: [String]) -> String {
    ids.map { "\"\($0)\"" }.joined(separator: ",")
  }

  /// Returns what a deletion would delete, and the delete rules that apply.
  private func previewDeletion(
    of ids: [String], _ entity: String, in store: ExploredStore
  ) async throws -> [String: Any] {
    try await store.post(
      "/api/edit/preview", #"{"delete":{"entity":"\#(entity)","ids":[\#(list(ids))]}}"#
    ).1
  }

  private func delete(
    _ ids: [String], _ entity: String, in store: ExploredStore
  ) async throws -> [String: Any] {
    let operation = #"{"op":"delete","entity":"\#(entity)","ids":[\#(list(ids))]}"#
    return try await store.post("/api/edit", #"{"operations":[\#(operation)]}"#).1
  }

  @Test("A deletion can be previewed, and deletes what was shown")
  func deletion() async throws {
    let store = try ExploredStore(isWritable: true)
    let customer = try await store.insert("Customer", #""lastName":"Blue""#)
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
    let preview = try await previewDeletion(of: [id], "Customer", in: store)
    #expect(preview["total"] as? Int == 3)
    let rules = try #require(preview["rules"] as? [[String: Any]])
    try #require(rules.count == 1)
    #expect(rules[0]["count"] as? Int == 2)
    #expect(rules[0]["rule"] as? String == "Cascade")
    // The preview changed nothing.
    #expect(try await store.json("/api/edit")["deleted"] as? Int == 0)
    let deleted = try await delete([id], "Customer", in: store)
    #expect(try deleted.pending["deleted"] as? Int == 3)
    #expect(try await store.post("/api/edit/discard").0 == 200)
    #expect(try await store.json("/api/edit")["canUndo"] as? Bool == false)
    await store.close()
  }

  @Test("Deleting rows of several entities also deletes what their delete rules require")
  func mixedDeletion() async throws {
    let store = try ExploredStore(RuledModel.make(), isWritable: true, RuledModel.fill)
    let ids = try await store.ids("/api/tables/Thing?where=name+!=+'Shut'")
    #expect(ids.count == 4)
    let preview = try await previewDeletion(of: ids + [ids[0]], "Thing", in: store)
    let rules = try #require(preview["rules"] as? [[String: Any]])
    #expect(rules.map { $0["relationship"] as? String } == ["balls", "box"])
    #expect(preview["total"] as? Int == 4)
    let deleted = try await delete(ids + [ids[0]], "Thing", in: store)
    #expect(try deleted.pending["deleted"] as? Int == 4)
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
    let ids = try await store.ids("/api/tables/Thing")
    #expect(ids.count == 3)
    let preview = try await previewDeletion(of: ids, "Thing", in: store)
    let rules = try #require(preview["rules"] as? [[String: Any]])
    try #require(rules.count == 1)
    #expect(rules[0]["relationship"] as? String == "keeper")
    #expect(rules[0]["count"] as? Int == 2)
    await store.close()
  }
}
