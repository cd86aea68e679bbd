import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

@Suite(
  "Derived values as their attributes' types",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores support derived attributes"))
struct DerivedTypeTests {
  @Test("A value that no expression can use is copied between attributes of the same form")
  func copies() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.properties.append(
      SampleStack.attribute("logo", .transformableAttributeType))
    DerivedSample.derive(model, "Player", "teamLogo", "team.logo", .transformableAttributeType)
    try SampleStack.withContext(model: model) { context in
      let logo = NSArray(array: ["red", "white"])
      let team = context.insert("Team", ["logo": logo])
      let player = context.insert("Player", ["team": team])
      try context.save()
      #expect(player.value(forKey: "teamLogo") as? NSArray == logo)
    }
  }

  /// A derived attribute of a player that copies a number of its team.
  struct CopiedNumber: Sendable {
    let source: NSAttributeType
    let value: Double
    let type: NSAttributeType
    let result: Double

    init(_ source: NSAttributeType, _ value: Double, _ type: NSAttributeType, _ result: Double) {
      (self.source, self.value, self.type, self.result) = (source, value, type, result)
    }
  }

  // The results are this library's design. Migrations convert numbers in the same way.
  @Test(
    "A copied number is stored as its attribute's type, and is read and fetched as the same number",
    .only([.sqlite], "the file is read with SQLite and verified"),
    arguments: [
      CopiedNumber(.doubleAttributeType, 2.5, .integer16AttributeType, 2),
      CopiedNumber(.decimalAttributeType, -2.5, .integer64AttributeType, -2),
      // A number out of range keeps its lower bits.
      CopiedNumber(.integer64AttributeType, 100_000, .integer16AttributeType, -31_072),
      CopiedNumber(.integer64AttributeType, 4_294_967_297, .integer32AttributeType, 1),
      CopiedNumber(.integer32AttributeType, 7, .booleanAttributeType, 1),
      CopiedNumber(.doubleAttributeType, 0.1, .floatAttributeType, Double(Float(0.1))),
      CopiedNumber(.integer16AttributeType, 7, .integer64AttributeType, 7),
      CopiedNumber(.integer16AttributeType, 7, .doubleAttributeType, 7),
    ])
  func copiedNumbers(_ copy: CopiedNumber) throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.properties.append(SampleStack.attribute("given", copy.source))
    DerivedSample.derive(model, "Player", "copied", "team.given", copy.type)
    let given: NSNumber =
      copy.source == .decimalAttributeType
      ? NSDecimalNumber(value: copy.value) : NSNumber(value: copy.value)
    try check(model, "Player", "copied", is: copy.result) { context in
      let team = context.insert("Team", ["given": given])
      context.insert("Player", ["team": team])
    }
  }

  @Test(
    "The result of an operator is stored as its attribute's type",
    .only([.sqlite], "the file is read with SQLite and verified"),
    arguments: [
      ("players.@avg.age", NSAttributeType.integer32AttributeType, 1.0),
      ("players.@avg.age", .doubleAttributeType, 1.5),
      ("players.@sum.age", .integer16AttributeType, 3.0),
      ("players.@max.age", .booleanAttributeType, 1.0),
      ("players.@max.score", .integer16AttributeType, 2.0),
      ("players.@count", .integer16AttributeType, 2.0),
    ])
  func operators(expression: String, type: NSAttributeType, result: Double) throws {
    let model = SampleStack.makeModel()
    DerivedSample.derive(model, "Team", "outcome", expression, type)
    try check(model, "Team", "outcome", is: result) { context in
      let team = context.insert("Team")
      for age in [1, 2] {
        context.insert(
          "Player",
          ["age": age, "score": Double(age) + 0.5, "number": 50_000, "team": team])
      }
    }
  }

  /// Checks a derived value of the only object of an entity: in the store, in the object, and in a fetch.
  private func check(
    _ model: NSManagedObjectModel, _ entity: String, _ name: String, is result: Double,
    after insert: (NSManagedObjectContext) -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let (store, context) = try TestedStore.sqlite.open(model, at: url)
    try context.performAndWait {
      insert(context)
      try context.save()
      context.reset()
      let format = "\(name) == %@"
      let found = try context.all(entity, format, [NSNumber(value: result)])
      #expect(found.count == 1)
      let object = try #require(try context.all(entity).first)
      #expect((object.value(forKey: name) as? NSNumber)?.doubleValue == result)
    }
    try context.persistentStoreCoordinator?.remove(store)
    let cells = try PlainDatabase(url).values(
      "SELECT Z\(name.uppercased()) FROM Z\(entity.uppercased())")
    #expect(cells.map { $0.first?.real } == [result])
    let verification = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    #expect(verification.findings == [])
  }
}
