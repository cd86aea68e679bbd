import CoreData
import FixtureSupport
import Testing

@testable import CoreData

@Suite("Long lists and long decimals in predicates", .onEveryStore)
struct LongListTests {
  private static let digits = [
    "0.12345678901234567890123456789012345678", "12345678901234567890123456789012345678",
    "-98765432109876543210.987654321098765432", "0.1", "7",
  ]

  private static func withStack(
    _ body: (NSManagedObjectContext, [NSManagedObject]) throws -> Void
  ) throws {
    let model = SampleStack.makeModel()
    let locker = try #require(model.entitiesByName["Locker"])
    locker.properties.append(SampleStack.attribute("price", .decimalAttributeType))
    locker.properties.append(SampleStack.attribute("label", .stringAttributeType))
    try SampleStack.withContext(model: model) { context in
      for (number, digits) in digits.enumerated() {
        context.insert(
          "Locker",
          ["number": number, "price": NSDecimalNumber(string: digits), "label": "label \(number)"])
      }
      try context.save()
      context.reset()
      try body(context, try context.all("Locker", sort: ["number"]))
    }
  }

  /// Returns the matches of a fetch, without and with unsaved changes, and those of the evaluation in memory.
  private static func numbers(
    _ predicate: NSPredicate, _ context: NSManagedObjectContext, _ objects: [NSManagedObject]
  ) throws -> [[Int]] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Locker")
    request.predicate = predicate
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    func numbers(_ objects: [NSManagedObject]) -> [Int] { objects.compactMap { $0["number"] } }
    let stored = numbers(try context.fetch(request))
    for object in objects { object.setValue(object.value(forKey: "label"), forKey: "label") }
    let unsaved = numbers(try context.fetch(request))
    context.rollback()
    return [stored, unsaved, numbers(try objects.filter { try predicate.evaluated(with: $0) })]
  }

  private static let otherPrices = (0..<200).map { "1000.\($0)1" }

  @Test("match decimals of 38 digits", arguments: [0, 200])
  func decimals(_ others: Int) throws {
    // By default, every third kind of store has the long lists.
    guard others == 0 || WholeRun.includes(0) else { return }
    try Self.withStack { context, objects in
      for place in objects.indices { try decimals(at: place, others, context, objects) }
    }
  }

  private func decimals(
    at place: Int, _ others: Int, _ context: NSManagedObjectContext, _ objects: [NSManagedObject]
  ) throws {
    // The price is read from the object, because the store may keep fewer digits than were set.
    let price: NSDecimalNumber = try #require(objects[place]["price"])
    var list: [Any] = Self.otherPrices.prefix(others).map { NSDecimalNumber(string: $0) }
    list.append(price)
    for predicate in [
      try NSPredicate(validating: "price IN %@", arguments: [list]),
      try NSPredicate(validating: "price == %@", arguments: [price]),
      try NSPredicate(validating: "price BETWEEN {%@, %@}", arguments: [price, price]),
      try NSPredicate(validating: "%@ CONTAINS price", arguments: [list]),
      try NSPredicate(validating: "price IN {%@, 5}", arguments: [price]),
      try NSPredicate(validating: "ANY %@ == price", arguments: [list]),
    ] {
      for found in try Self.numbers(predicate, context, objects) {
        #expect(found == [place], "\(predicate)")
      }
    }
  }

  @Test(
    "can contain more strings than SQLite allows levels in an expression",
    .only([.memorySQLite, .inMemory], "a store with SQL and one without"),
    arguments: ["BEGINSWITH", "CONTAINS[cd]", "==[c]", "LIKE"])
  func texts(_ sign: String) throws {
    try Self.withStack { context, objects in
      let texts = (0..<1200).map { "text \($0)" } + ["label 3"]
      let predicate = try NSPredicate(validating: "ANY %@ \(sign) label", arguments: [texts])
      for found in try Self.numbers(predicate, context, objects) { #expect(found == [3]) }
      let none = try NSPredicate(validating: "NOT ANY %@ \(sign) label", arguments: [texts])
      for found in try Self.numbers(none, context, objects) { #expect(found == [0, 1, 2, 4]) }
    }
  }
}
