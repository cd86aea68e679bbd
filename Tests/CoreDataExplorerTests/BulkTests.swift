import CoreData
import Foundation
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
}
