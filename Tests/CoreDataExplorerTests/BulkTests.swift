import CoreData
import Foundation
import StoreInspection
import Testing

@testable import CoreDataExplorer

@Suite("Batches in the explorer")
struct BulkTests {
  private func boxes() throws -> ExploredStore {
    try ExploredStore(RuledModel.make(), isWritable: true, RuledModel.fill)
  }

  @Test(
    "The preview of a deletion counts all rows that it deletes, and the request must confirm their number"
  )
  func reach() async throws {
    let store = try boxes()
    let body = #"{"entity":"Box","where":"name == 'Open'","delete":true"#
    let preview = try await store.post("/api/bulk/preview", body + "}").1
    #expect(preview["count"] as? Int == 1 && preview["total"] as? Int == 3)
    let deleted = try #require(preview["deleted"] as? [[String: Any]])
    #expect(deleted.map { $0["entity"] as? String } == ["Ball", "Box"])
    #expect(deleted.map { $0["count"] as? Int } == [2, 1])
    #expect((try await store.json("/api/tables/Ball")["rows"] as? [Any])?.count == 3)
    #expect(try await store.post("/api/bulk", body + #","confirm":1}"#).0 == 409)
    #expect((try await store.json("/api/tables/Ball")["rows"] as? [Any])?.count == 3)
    let done = try await store.post("/api/bulk", body + #","confirm":3}"#)
    #expect(done.0 == 200 && done.1["count"] as? Int == 3)
    #expect((try await store.json("/api/tables/Ball")["rows"] as? [Any])?.count == 1)
    await store.close()
  }

  @Test("Rows that lose a reference are counted, and a deny rule is reported in the preview")
  func rules() async throws {
    let store = try boxes()
    let locks = try await store.post("/api/bulk/preview", #"{"entity":"Lock","delete":true}"#).1
    #expect(locks["total"] as? Int == 1 && locks["unlinked"] as? Int == 1)
    #expect(locks["denied"] == nil)
    let all = try await store.post("/api/bulk/preview", #"{"entity":"Box","delete":true}"#).1
    #expect(all["count"] as? Int == 2 && all["total"] as? Int == 0)
    #expect((all["denied"] as? String)?.contains("locks denies it") == true)
    await store.close()
  }

  /// Inserts a row through another coordinator before a batch update, as another process may at any time.
  private final class InterruptedContext: NSManagedObjectContext, @unchecked Sendable {
    var path = ""

    override func execute(
      _ request: NSPersistentStoreRequest
    ) throws -> NSPersistentStoreResult {
      guard request is NSBatchUpdateRequest else { return try super.execute(request) }
      let other = try OpenedStore.open(path, model: nil, readOnly: false)
      defer { other.close { Issue.record("\($0)") } }
      try other.context.performAndWait {
        NSEntityDescription.insertNewObject(forEntityName: "Ball", into: other.context)
          .setValue("Late", forKey: "name")
        try other.context.save()
      }
      return try super.execute(request)
    }
  }

  @Test(
    "A change affects no row that another process writes after the confirmed rows are counted",
    arguments: ["weight == nil OR weight < 5", nil] as [String?])
  func lateRow(condition: String?) async throws {
    let store = try boxes()
    await store.close()
    let opened = try OpenedStore.open(store.url.path, model: nil, readOnly: false)
    defer { opened.close { Issue.record("\($0)") } }
    let context = InterruptedContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = opened.coordinator
    context.path = store.url.path
    let request = BulkChange.Request(
      entity: "Ball", where: condition, set: ["name": "Changed"], confirm: 3)
    let done = try await BulkChange(request: request, store: opened).carryOut(in: context)
    #expect(done.count == 3)
    let names = try await context.perform {
      let balls = NSFetchRequest<NSManagedObject>(entityName: "Ball")
      return try context.fetch(balls).compactMap { $0.value(forKey: "name") as? String }.sorted()
    }
    #expect(names == ["Changed", "Changed", "Changed", "Late"])
    // The folder of the store is removed with it.
    withExtendedLifetime(store) {}
  }

  @Test("A change is previewed with the old and the new values, including missing ones")
  func changes() async throws {
    let store = try boxes()
    let body = #"{"entity":"Ball","where":"weight == 2","set":{"weight":null,"name":"Big"}}"#
    let preview = try await store.post("/api/bulk/preview", body).1
    let rows = try #require(preview["changes"] as? [[[String: Any]]], "\(preview)")
    #expect(rows.first?.map { $0["key"] as? String } == ["name", "weight"])
    #expect(rows.first?.first?["old"] as? String == "Blue")
    #expect(rows.first?.first?["new"] as? String == "Big")
    #expect(rows.first?.last?["old"] as? Int == 2 && rows.first?.last?["new"] is NSNull)
    await store.close()
  }

  @Test(
    "A change to a value that breaks a rule of its attribute is refused",
    arguments: [("null", "weight is a required value"), (#""6""#, "too heavy")])
  func rulesOfValues(value: String, message: String) async throws {
    let model = RuledModel.make()
    let weight = try #require(model.entitiesByName["Ball"]?.attributesByName["weight"])
    weight.isOptional = false
    weight.setValidationPredicates(
      [NSPredicate(format: "SELF <= 5")], withValidationWarnings: ["too heavy"])
    let store = try ExploredStore(model, isWritable: true, RuledModel.fill)
    let body = #"{"entity":"Ball","set":{"weight":\#(value)}"#
    for (target, rest) in [("/api/bulk/preview", "}"), ("/api/bulk", #","confirm":3}"#)] {
      let answer = try await store.post(target, body + rest)
      #expect(answer.0 == 400, "\(target)")
      let error = try #require(answer.1["error"] as? [String: Any])
      #expect((error["message"] as? String)?.contains(message) == true, "\(error)")
    }
    let page = try await store.json("/api/tables/Ball?columns=weight&sort=weight")
    let rows = try #require(page["rows"] as? [[String: Any]])
    #expect(rows.map { ($0["cells"] as? [Any])?.first as? Int } == [1, 2, 3])
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
    #expect(try await store.value("firstName", of: "p3") == "Max")
    _ = try await store.set("p1", "age", "70")
    let gone = #"{"entity":"Person","where":"age == 2","delete":true,"confirm":1}"#
    #expect(try await store.post("/api/bulk", gone).0 == 409)
    _ = try await store.post("/api/edit/save")
    #expect(try await store.post("/api/bulk", gone).1["count"] as? Int == 1)
    #expect(await store.get("/api/objects/Person/p2").status == 404)
    await store.close()
  }
}
