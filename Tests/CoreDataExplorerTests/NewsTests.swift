import CoreData
import Foundation
import Testing

@testable import CoreDataExplorer

// The limit is for events that never come. It is long, because on a busy machine these tests wait minutes while other
// tests run.
@Suite("Events of the explorer", .timeLimit(.minutes(60)))
struct NewsTests {
  /// Returns the data of the first event that has a given name and meets a condition.
  private func event(
    _ name: String, _ store: ExploredStore, after change: () async throws -> Void,
    where isWanted: ([String: Any]) -> Bool
  ) async throws -> [String: Any]? {
    guard case .stream(let events) = await store.get("/api/events").body else { return nil }
    try await change()
    for try await part in events {
      for event in String(decoding: part, as: UTF8.self).split(separator: "\n\n") {
        let lines = event.split(separator: "\n")
        guard lines.first == "event: \(name)", let data = lines.last?.dropFirst(6) else { continue }
        let found = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        if let found, isWanted(found) { return found }
      }
    }
    return nil
  }

  @Test("Changed objects are listed by entity, together with those changed a moment before")
  func names() async throws {
    let store = try ExploredStore(isWritable: true)
    let found = try await event("objects", store) {
      for id in ["p1", "p2"] {
        let answer = try await store.post(
          "/api/edit",
          """
          {"operations":[{"op":"set","entity":"Person","id":"\(id)","key":"age","text":"50"}]}
          """)
        #expect(answer.0 == 200)
      }
    } where: {
      ($0["objects"] as? [String: [String]])?["Person"]?.count == 2
    }
    #expect(found?["many"] as? Bool == false)
    await store.close()
  }

  @Test("Another process's save is reported even if it affects no row in use")
  func others() async throws {
    let store = try ExploredStore()
    let found = try await event("objects", store) {
      try await store.saveElsewhere { context in
        NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
          .setValue("New", forKey: "name")
      }
    } where: {
      $0["many"] as? Bool == true
    }
    #expect(found != nil)
    await store.close()
  }

  @Test("Inserted and deleted rows count for their entities and for the parents of those entities")
  func counts() async throws {
    let store = try ExploredStore(RuledModel.make(), isWritable: true, RuledModel.fill)
    let answer = try await store.post(
      "/api/edit",
      """
      {"operations":[{"op":"insert","entity":"Ball","values":{}},
      {"op":"insert","entity":"Ball","values":{}},
      {"op":"delete","entity":"Item","ids":["p1"]}]}
      """
    ).1
    let pending = try #require(answer["pending"] as? [String: Any])
    #expect(pending["added"] as? [String: Int] == ["Ball": 2, "Thing": 2, "Item": -1])
    await store.close()
  }
}
