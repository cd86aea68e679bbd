import CoreData
import Foundation
import Testing

@testable import CoreDataExplorer

@Suite("Values that break a rule in the explorer")
struct BrokenRuleTests {
  @Test("A violated rule is reported immediately, and again by the save")
  func rules() async throws {
    let store = try ExploredStore(isWritable: true)
    let id = try await store.insert("Team", "")
    let emptied = try await store.post(
      "/api/edit",
      #"{"operations":[{"op":"set","entity":"Team","id":"\#(id)","key":"name","text":null}]}"#)
    let isRequired = try !problems(of: emptied.1).isEmpty
    let saved = try await store.post("/api/edit/save")
    #expect(saved.0 == (isRequired ? 422 : 200))
    // A string that does not fit the attribute's type is rejected.
    #expect(try await store.set("p1", "age", "x").0 == 400)
    #expect(try await store.set("p1", "agee", "1").0 == 400)
    #expect(try await store.set("p99", "age", "1").0 == 404)
    await store.close()
  }

  /// The properties with a problem.
  private func problems(of body: [String: Any]) throws -> [String?] {
    let problems = try #require(try body.pending["problems"] as? [[String: Any]])
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
    func problems(
      setting key: String, _ text: String, of id: String, _ entity: String
    ) async throws -> [String?] {
      try self.problems(of: try await store.set(id, key, text, entity: entity).1)
    }
    let ball = try #require(try await store.ids("/api/tables/Ball").first)
    #expect(try await problems(setting: "weight", "500", of: ball, "Ball") == ["weight"])
    #expect(try await problems(after: "/undo").isEmpty)
    #expect(try await problems(after: "/redo") == ["weight"])
    #expect(try await problems(setting: "name", "B", of: ball, "Ball") == ["weight"])
    #expect(try await problems(setting: "weight", "130", of: ball, "Ball").isEmpty)
    #expect(try await problems(setting: "weight", "500", of: ball, "Ball") == ["weight"])
    #expect(try await problems(after: "/discard").isEmpty)
    let insertion =
      #"{"operations":[{"op":"insert","entity":"Ball","values":{"weight":"500"}}]}"#
    #expect(try await problems(after: "", insertion) == ["weight"])
    #expect(try await problems(after: "/undo").isEmpty)
    // Only a save finds that a value is not unique.
    let items = try await store.ids("/api/tables/Item?where=\(Address.escaped("code == 'A'"))")
    let item = try #require(items.first)
    #expect(try await problems(setting: "code", "B", of: item, "Item").isEmpty)
    #expect(try await problems(after: "/save") == ["code"])
    #expect(try await problems(setting: "note", "N", of: item, "Item") == ["code"])
    #expect(try await problems(after: "/undo") == ["code"])
    #expect(try await problems(after: "/undo").isEmpty)
    #expect(try await problems(after: "/redo") == ["code"])
    await store.close()
  }
}
