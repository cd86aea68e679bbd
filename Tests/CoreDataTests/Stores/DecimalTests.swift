import CoreData
import Testing

/// Source: Foundation's page for NSDecimalNumber: "an instance can represent any number that can be
/// expressed as mantissa x 10^exponent where mantissa is a decimal integer up to 38 digits long".
@Suite(
  "Decimals of 38 digits",
  .only(
    [.inMemory, .binary, .xml, .ownIncremental],
    "SQLite stores have Apple's column type, DECIMAL, which keeps 64-bit integers and doubles"
  ))
struct DecimalTests {
  private static let digits = [
    "12345678901234567890123456789012345678", "-0.12345678901234567890123456789012345678",
    "1234567890123456789.0987654321098765432", "0.1", "-7", "98765432109876543210", "1e-120",
    "12345678901234567890.5", "0.30000000000000004", "9007199254740993.5",
  ]

  private static func makeModel() -> NSManagedObjectModel {
    let price = NSEntityDescription()
    price.name = "Price"
    let other = SampleStack.attribute("other", .decimalAttributeType)
    other.defaultValue = NSDecimalNumber(string: "0.12345678901234567890123456789")
    price.properties = [
      SampleStack.attribute("number", .integer64AttributeType),
      SampleStack.attribute("amount", .decimalAttributeType), other,
    ]
    let model = NSManagedObjectModel()
    model.entities = [price]
    return model
  }

  private func amounts(_ context: NSManagedObjectContext) throws -> [String] {
    try context.all("Price", sort: ["number"]).map {
      ($0.value(forKey: "amount") as? NSDecimalNumber)?.stringValue ?? "-"
    }
  }

  private static let expected = digits.map { NSDecimalNumber(string: $0).stringValue }

  @Test func `All digits survive a save, an update of another object, and reopening`()
    throws
  {
    #expect(Self.expected.prefix(3) == Self.digits.prefix(3))
    let stack = try SampleStack(model: Self.makeModel())
    try stack.context.performAndWait {
      let context = stack.context
      for (number, digits) in Self.digits.enumerated() {
        context.insert("Price", ["number": number, "amount": NSDecimalNumber(string: digits)])
      }
      try context.save()
      #expect(try self.amounts(context) == Self.expected)
      context.refreshAllObjects()
      #expect(try self.amounts(context) == Self.expected)
      context.insert("Price", ["number": 100])
      try context.save()
      context.reset()
      #expect(try self.amounts(context) == Self.expected + ["-"])
    }
    let again = try stack.reopened()
    try again.context.performAndWait {
      let context = again.context
      #expect(try self.amounts(context) == Self.expected + ["-"])
      let last = try #require(try context.all("Price", "number == 100").first)
      #expect((last["other"] as NSDecimalNumber?)?.stringValue == "0.12345678901234567890123456789")
      last["amount"] = NSDecimalNumber(string: Self.digits[0])
      try context.save()
      context.refresh(last, mergeChanges: false)
      #expect((last["amount"] as NSDecimalNumber?)?.stringValue == Self.digits[0])
      #expect(!last.hasPersistentChangedValues)
    }
    let third = try again.reopened()
    try third.context.performAndWait {
      let amounts = try amounts(third.context)
      #expect(amounts == Self.expected + [Self.digits[0]])
    }
  }

  @Test func `Decimals can be sorted, compared, matched, added up and fetched as dictionaries`()
    throws
  {
    let stack = try SampleStack(model: Self.makeModel())
    let numbers = [
      "12345678901234567890123456789012345678", "-0.12345678901234567890123456789012345678", "2",
      "1.5", "0.12345678901234567890123456789012345678",
    ]
    try stack.context.performAndWait {
      let context = stack.context
      for (number, digits) in numbers.enumerated() {
        context.insert("Price", ["number": number, "amount": NSDecimalNumber(string: digits)])
      }
      // The objects are first unsaved, then saved, and finally only rows in the store.
      for step in 0..<3 {
        if step == 1 { try context.save() }
        if step == 2 { context.reset() }
        let sorted = try context.all("Price", sort: ["amount"])
        #expect(sorted.map { $0["number"] as Int? } == [1, 4, 3, 2, 0])
        for (number, digits) in numbers.enumerated() {
          let found = try context.all("Price", "amount == %@", [NSDecimalNumber(string: digits)])
          #expect(found.map { $0["number"] as Int? } == [number], "step \(step)")
        }
        #expect(try context.all("Price", "amount > 1.5").count == 2)
        #expect(try context.all("Price", "amount BETWEEN {0, 2}").count == 3)
        #expect(try context.all("Price", "amount + 1 > 1.1").count == 4)
        let some = [numbers[0], numbers[4]].map { NSDecimalNumber(string: $0) }
        #expect(try context.all("Price", "amount IN %@", [some]).count == 2)
      }
      let request = NSFetchRequest<NSDictionary>(entityName: "Price")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["amount"]
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      let texts = try context.fetch(request).map { ($0["amount"] as? NSDecimalNumber)?.stringValue }
      #expect(texts == numbers)
      // These amounts form two groups, although both are equal as doubles.
      for digits in ["12345678901234567890123456789012345677", numbers[0]] {
        context.insert("Price", ["number": 9, "amount": NSDecimalNumber(string: digits)])
      }
      try context.save()
      request.propertiesToFetch = ["amount"]
      request.propertiesToGroupBy = ["amount"]
      request.sortDescriptors = nil
      request.predicate = NSPredicate(format: "amount > 1000")
      #expect(
        Set(
          try context.fetch(request).compactMap { ($0["amount"] as? NSDecimalNumber)?.stringValue })
          == [numbers[0], "12345678901234567890123456789012345677"])
      let sum = try context.all("Price", "number IN {1, 2, 4}") as NSArray
      #expect(
        sum.value(forKeyPath: "@sum.amount") as? NSDecimalNumber == NSDecimalNumber(string: "2"))
    }
  }

  private static let long = "0.1234567890123456789"

  private func prices(
    _ change: (NSFetchRequest<NSDictionary>) -> Void
  ) -> NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: "Price")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["amount"]
    request.sortDescriptors = [NSSortDescriptor(key: "amount", ascending: true)]
    change(request)
    return request
  }

  private func column(_ name: String, _ format: String) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = NSExpression(format: format)
    column.expressionResultType = .decimalAttributeType
    return column
  }

  @Test func `Dictionaries of two stores are sorted and grouped by the numbers of all decimals`()
    throws
  {
    let stack = try SampleStack(model: Self.makeModel())
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let stores = [stack.coordinator.persistentStores[0], second]
    try stack.context.performAndWait {
      let context = stack.context
      for (index, digits) in ["5", Self.long, "4"].enumerated() {
        let price = context.insert("Price", ["amount": NSDecimalNumber(string: digits)])
        context.assign(price, to: stores[index % 2])
      }
      try context.save()
      func amounts(_ request: NSFetchRequest<NSDictionary>, _ key: String = "amount") throws
        -> [String?]
      {
        try context.fetch(request).map { row in row[key].map { "\($0)" } }
      }
      #expect(try amounts(prices { _ in }) == [Self.long, "4", "5"])
      #expect(try amounts(prices { $0.fetchLimit = 1 }) == [Self.long])
      let groups = prices {
        $0.propertiesToGroupBy = ["amount"]
        $0.havingPredicate = NSPredicate(format: "amount > 3")
      }
      #expect(try amounts(groups) == ["4", "5"])
      // The median requires all values of a group, so the smallest and largest value are found among these.
      let range = prices {
        $0.sortDescriptors = nil
        $0.propertiesToFetch = [
          column("least", "min:(amount)"), column("most", "max:(amount)"),
          column("middle", "median:(amount)"),
        ]
      }
      #expect(try amounts(range, "most") == ["5"])
      #expect(try amounts(range, "middle") == ["4"])
      // An aggregate is computed with doubles.
      #expect(try amounts(range, "least") == ["0.12345678901234568"])
    }
  }

  /// Source: Apple's page on NSPredicate's `init(block:)`.
  @Test(.only([.inMemory, .binary, .xml], "an incremental store refuses predicate blocks"))
  func `A dictionary request with a predicate block keeps all digits`() throws {
    try SampleStack.withContext(model: Self.makeModel()) { context in
      for digits in ["5", Self.long] {
        context.insert("Price", ["amount": NSDecimalNumber(string: digits)])
      }
      try context.save()
      let request = prices { $0.predicate = NSPredicate { _, _ in true } }
      let texts = try context.fetch(request).map { ($0["amount"] as? NSDecimalNumber)?.stringValue }
      #expect(texts == [Self.long, "5"])
    }
  }
}
