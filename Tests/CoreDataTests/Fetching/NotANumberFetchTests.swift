import CoreData
import Testing

@testable import CoreData

/// Not-a-number is stored as NULL; the documentation lists this in "Differences from Apple's Core Data".
@Suite(.onEveryStore) struct NotANumberFetchTests {
  @Test func `Fetches, compiled predicates and evaluation agree on not-a-number`() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let player = context.insert("Player", ["score": 1.5, "age": 3])
      let team = context.insert("Team", ["founded": Date(timeIntervalSinceReferenceDate: 0)])
      try context.save()
      func counts(_ object: NSManagedObject, _ format: String, _ value: Any) throws -> [Int] {
        let arguments = Array(
          repeating: value, count: format.components(separatedBy: "%@").count - 1)
        let predicate = try NSPredicate(validating: format, arguments: arguments)
        let entity = try #require(object.entity.name)
        return [
          try context.all(entity, format, arguments).count,
          try CompiledPredicate(predicate, for: object.entity).count(in: [object]),
          try predicate.evaluated(with: object) ? 1 : 0,
        ]
      }
      for value in [Double.nan as Any, Float.nan, Decimal.nan, NSDecimalNumber.notANumber] {
        for format in [
          "score > %@", "score < %@", "score == %@", "score != %@", "NOT score == %@",
          "score BETWEEN {%@, 5}", "age + %@ > 1", "score IN {%@, 7}",
        ] {
          #expect(try counts(player, format, value) == [0, 0, 0], "\(format) \(value)")
        }
      }
      let none = Date(timeIntervalSinceReferenceDate: .nan)
      for format in [
        "founded > %@", "founded < %@", "founded == %@", "founded != %@",
        "founded == %@ OR NOT founded == %@", "founded BETWEEN {%@, %@}",
      ] {
        #expect(try counts(team, format, none) == [0, 0, 0], "\(format)")
      }
    }
  }

  @Test func `Values with invalid dates are refused with a message`() throws {
    try SampleStack.withContext { context in
      let none = Date(timeIntervalSinceReferenceDate: .nan)
      let team = context.insert("Team", ["name": "Red"])
      for value in [none as Any, [none], ["a": none], Optional(none) as Any] {
        let error = #expect(throws: NSError.self) {
          try team.setValidatedValue(value, forKey: "name")
        }
        #expect(error?.localizedDescription.contains("no date: nan") == true)
        #expect(throws: NSError.self) { try team.setValidatedValue(value, forKey: "players") }
      }
    }
  }
}

/// A decimal has a mantissa of up to 38 digits and an exponent from -128 to 127 (Apple's page for `NSDecimalNumber`).
@Suite(.onEveryStore) struct DecimalRangeTests {
  private static func makeModel() -> NSManagedObjectModel {
    let price = NSEntityDescription()
    price.name = "Price"
    price.properties = [SampleStack.attribute("amount", .decimalAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [price]
    return model
  }

  @Test(
    .only(TestedStore.allCases, "a custom store has its own format for numbers"),
    arguments: [
      Decimal.greatestFiniteMagnitude.description, "-\(Decimal.greatestFiniteMagnitude)",
      "1000e127",
      "1e-128",
    ])
  func `The greatest and least decimals are read back from a store`(digits: String) throws {
    let number = NSDecimalNumber(string: digits)
    #expect(number != .notANumber)
    let stack = try SampleStack(model: Self.makeModel())
    try stack.context.performAndWait {
      stack.context.insert("Price", ["amount": number])
      try stack.context.save()
    }
    let again = try stack.reopened()
    try again.context.performAndWait {
      let amounts = try again.context.all("Price").map { $0["amount"] as NSDecimalNumber? }
      #expect(amounts.map { $0?.stringValue } == [number.stringValue])
    }
  }

  @Test(.only(TestedStore.sqlKinds, "SQLite stores not-a-number as NULL"))
  func `A decimal that is not a number is NULL before and after a save`() throws {
    let stack = try SampleStack(model: Self.makeModel())
    let context = stack.context
    try context.performAndWait {
      context.insert("Price", ["amount": NSDecimalNumber.notANumber])
      for step in ["unsaved", "saved"] {
        if step == "saved" { try context.save() }
        #expect(try context.all("Price", "amount == nil").count == 1, "\(step)")
        #expect(try context.all("Price", "amount != nil").isEmpty, "\(step)")
      }
    }
  }

  @Test func `A number too large for a decimal is refused`() throws {
    let stack = try SampleStack(model: Self.makeModel())
    try stack.context.performAndWait {
      let price = stack.context.insert("Price", ["amount": NSDecimalNumber(value: 1)])
      for number in [Double.infinity, 1e200, -1e300] {
        #expect(throws: NSError.self) { try price.setValidatedValue(number, forKey: "amount") }
      }
      try price.setValidatedValue(1e150, forKey: "amount")
      #expect((price["amount"] as NSDecimalNumber?)?.stringValue.hasPrefix("1000") == true)
    }
  }
}
