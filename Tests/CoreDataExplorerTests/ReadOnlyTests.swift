import CoreData
import Foundation
import Testing

@testable import CoreDataExplorer

@Suite("Read-only stores in the explorer")
struct ReadOnlyTests {
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
    #expect(try await store.set("p1", "age", "7").0 == 403)
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
