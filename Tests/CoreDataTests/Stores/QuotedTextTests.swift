import CoreData
import FixtureSupport
import Testing

// SQL and XML end a quoted text at a quotation mark, whatever follows it (SQLite, "SQL Language
// Expressions", literal values; XML 1.0, 2.3). For Swift, a quotation mark before a combining mark
// is another `Character`, which `replacing` does not find.
@Suite("Quotation marks before combining marks")
struct QuotedTextTests {
  private static let text = "it'\u{301}s \"\u{301}\" .\u{308}"

  private static func model(_ version: Int) -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Box"
    entity.properties = [SampleStack.attribute("number", .integer64AttributeType)]
    if version == 2 {
      let note = SampleStack.attribute("note", .stringAttributeType, isOptional: false)
      note.defaultValue = text
      entity.properties.append(note)
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  @Test("A default value with such marks is added to rows by a migration")
  func migratedDefault() throws {
    let store = try MigratedStore()
    try store.with(Self.model(1)) { _ = $0.insert("Box", ["number": 1]) }
    try store.with(Self.model(2)) { context in
      let box = try #require(try context.all("Box").first)
      #expect(box.value(forKey: "note") as? String == Self.text)
    }
  }

  @Test(
    "A result column can have such marks in its name",
    .only(TestedStore.allCases, "a custom store makes its results itself"))
  func column() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      stack.context.insert("Player", ["age": 5])
      try stack.context.save()
      let column = NSExpressionDescription()
      column.name = Self.text
      column.expression = NSExpression(forKeyPath: "age")
      column.expressionResultType = .integer64AttributeType
      let request = NSFetchRequest<NSDictionary>(entityName: "Player")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [column]
      let row = try #require(try stack.context.fetch(request).first)
      #expect(row[Self.text] as? Int == 5)
    }
  }
}
