import FixtureSupport
import Foundation
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Rows that SQLite passes as the arguments of a function, and rows that it cannot pass in this way.
@Suite("Rows passed as function arguments")
struct HandedOverRowTests {
  private static func file() throws -> StoreScope {
    StoreScope(kind: .sqlite, folder: try TemporaryFolder())
  }

  private static func indexedModel() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    if let player = model.entitiesByName["Player"], let age = player.propertiesByName["age"] {
      player.indexes = [
        NSFetchIndexDescription(
          name: "byAge",
          elements: [NSFetchIndexElementDescription(property: age, collationType: .binary)])
      ]
    }
    return model
  }

  @Test("Rows come in key order, even if SQLite finds them by an index and sorts them")
  func sorted() throws {
    let stack = try SampleStack(Self.file(), model: Self.indexedModel())
    try stack.context.performAndWait {
      for number in 0..<3000 {
        stack.context.insert("Player", ["number": number, "age": (number * 7919) % 1000])
      }
      try stack.context.save()
    }
    try stack.reading { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "age < 100")
      let plan = try context.explain(request)
      let sorts = "\(plan)".contains("TEMP B-TREE")
      #expect(sorts, "the plan of this query does not sort: \(plan)")
      // At the second fetch, the store already knows that the query sorts.
      for _ in 0..<2 {
        let numbers = try context.fetch(request).map { $0["number"] as Int? ?? -1 }
        #expect(numbers == (0..<3000).filter { ($0 * 7919) % 1000 < 100 })
        context.reset()
      }
    }
  }

  @Test(
    "Strings are read correctly from files with UTF-8 and with UTF-16",
    arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func encodings(_ encoding: String) throws {
    let opened = try EngineStore([NSSQLitePragmasOption: ["encoding": encoding]])
    #expect(try opened.store.pool.read { try $0.text("PRAGMA encoding") } == encoding)
    let names = ["", "Ada", "Zoë", "日本語", "🏳️‍🌈", "a\u{0}b", String(repeating: "long ", count: 500)]
    for name in names { try opened.save(name) }
    try opened.context.performAndWait {
      opened.context.reset()
      let found = try opened.context.all("Player").map { $0["name"] as String? }
      #expect(found == names)
      let noName = opened.context.insert("Player")
      try opened.context.save()
      opened.context.refresh(noName, mergeChanges: false)
      #expect(noName["name"] as String? == nil)
    }
  }

  @Test("Rows with more columns than a function has arguments are read as ordinary results")
  func manyColumns() throws {
    let wide = NSEntityDescription()
    wide.name = "Wide"
    wide.properties = (0..<150).map { SampleStack.attribute("n\($0)", .integer32AttributeType) }
    let model = NSManagedObjectModel()
    model.entities = [wide]
    let stack = try SampleStack(Self.file(), model: model)
    try stack.context.performAndWait {
      for row in 0..<3 {
        let object = stack.context.insert("Wide")
        for column in 0..<150 where column != 77 { object["n\(column)"] = row * 1000 + column }
      }
      try stack.context.save()
    }
    try stack.reading { context in
      for (row, object) in try context.all("Wide").enumerated() {
        for column in 0..<150 {
          #expect(object["n\(column)"] as Int? == (column == 77 ? nil : row * 1000 + column))
        }
      }
    }
  }

  @Test("A statement without a row reader gets NULL from the function")
  func withoutReader() throws {
    let opened = try EngineStore()
    try opened.store.pool.read { connection in
      let statement = try connection.statement("SELECT CoreDataRow(1, 2, 3)")
      defer { statement.reset() }
      #expect(try statement.step())
      #expect(statement.isNull(0))
    }
  }
}
