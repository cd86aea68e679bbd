import CoreData
import FixtureSupport
import Testing

/// Saves random data with random models of every kind of property. The data must be unchanged after
/// reopening the store, and after copying it to a store of another type and back.
@Suite("Random models and data")
struct RandomRoundTripTests {
  private func difference(
    _ a: [String: [String: String]], _ b: [String: [String: String]]
  ) -> [String] {
    var result: [String] = []
    for name in Set(a.keys).union(b.keys).sorted() {
      let (x, y) = (a[name] ?? [:], b[name] ?? [:])
      for key in Set(x.keys).union(y.keys).sorted() where x[key] != y[key] {
        result.append("\(x["entity"] ?? "-") \(name).\(key): \(x[key] ?? "-") / \(y[key] ?? "-")")
      }
    }
    return result
  }

  private func expectSame(
    _ expected: [String: [String: String]], _ context: NSManagedObjectContext,
    _ place: SourceLocation = #_sourceLocation
  ) throws {
    let found = difference(expected, try RandomModel.picture(context))
    #expect(found == [], sourceLocation: place)
  }

  @Test(
    "Random data is unchanged when the store is opened again", arguments: TestedStore.fileKinds,
    0..<4)
  func reopened(_ kind: TestedStore, _ round: Int) throws {
    var generator = SeededGenerator("round trip")
    for _ in 0...round { _ = generator.next() }
    var random = RandomModel(generator, withDerived: kind.isSQL)
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    var expected: [String: [String: String]] = [:]
    let (store, context) = try kind.open(random.model, at: url)
    try context.performAndWait {
      random.fill(context, count: 25)
      expected = try RandomModel.picture(context)
      for (name, values) in random.given {
        for (key, value) in values { #expect(expected[name]?[key] == value, "\(name).\(key)") }
      }
      try context.save()
      try expectSame(expected, context)
    }
    try context.persistentStoreCoordinator?.remove(store)
    // Another coordinator changes and deletes objects.
    let (second, other) = try kind.open(random.model, at: url)
    try other.performAndWait {
      try expectSame(expected, other)
      var objects: [NSManagedObject] = []
      for entity in random.model.entities {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        objects += try other.fetch(request)
      }
      func name(_ object: NSManagedObject) -> String { object["name"] ?? "" }
      objects.sort { name($0) < name($1) }
      let going = Set(objects.filter { !random.referred.contains(name($0)) }.prefix(4))
      for object in going { other.delete(object) }
      other.processPendingChanges()
      let rest = objects.filter { !going.contains($0) }
      for object in rest.prefix(10) { random.change(object, among: rest) }
      expected = try RandomModel.picture(other)
      try other.save()
      try expectSame(expected, other)
    }
    try other.persistentStoreCoordinator?.remove(second)
    let (_, last) = try kind.open(random.model, at: url)
    try last.performAndWait {
      try expectSame(expected, last)
      try expectDerived(last)
    }
  }

  /// Checks that derived attributes have the right values.
  private func expectDerived(_ context: NSManagedObjectContext) throws {
    for (name, values) in try RandomModel.picture(context, withDerived: true) {
      for (key, value) in values {
        if key.hasPrefix("upper") { #expect(value == name.uppercased()) }
        guard key.hasPrefix("count_") else { continue }
        let members = values[String(key.dropFirst(6))]?.split(separator: " ").count ?? 0
        #expect(
          value == "\(members)",
          "\(values["entity"] ?? "") \(name).\(key) \(RandomModel.kind(key, context))")
      }
    }
  }

  @Test("Random data is unchanged after a round trip through stores of all types", arguments: 0..<4)
  func copied(_ round: Int) throws {
    var generator = SeededGenerator("copied round trip")
    for _ in 0...round { _ = generator.next() }
    var random = RandomModel(generator, withDerived: false)
    let folder = try TemporaryFolder()
    var (store, context) = try TestedStore.sqlite.open(random.model, at: folder.file("0.sqlite"))
    let expected = try context.performAndWait {
      random.fill(context, count: 25)
      try context.save()
      return try RandomModel.picture(context)
    }
    let coordinator = try #require(context.persistentStoreCoordinator)
    let way: [(String, String)] = [
      (NSXMLStoreType, "1.xml"), (NSSQLiteStoreType, "2.sqlite"), (NSBinaryStoreType, "3.binary"),
      (NSSQLiteStoreType, "4.sqlite"), (NSSQLiteStoreType, "5.sqlite"),
    ]
    for (type, name) in way {
      store = try coordinator.migratePersistentStore(store, to: folder.file(name), withType: type)
      context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait {
        let found = try RandomModel.picture(context)
        #expect(difference(expected, found) == [], "\(name)")
      }
    }
  }
}
