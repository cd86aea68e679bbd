import CoreData
import Testing

/// Not-a-number is stored as NULL; the documentation lists this in "Differences from Apple's Core Data". Otherwise, a
/// saved object would lack a required value, which the verification of its store reports.
@Suite(.onEveryStore) struct RequiredNumberTests {
  private static let values: [(key: String, value: any Sendable)] = [
    ("real", Double.nan), ("part", Float.nan), ("exact", Decimal.nan),
  ]

  private func makeModel() -> NSManagedObjectModel {
    let reading = NSEntityDescription()
    reading.name = "Reading"
    reading.properties = [
      SampleStack.attribute("real", .doubleAttributeType, isOptional: false),
      SampleStack.attribute("part", .floatAttributeType, isOptional: false),
      SampleStack.attribute("exact", .decimalAttributeType, isOptional: false),
      SampleStack.attribute("free", .doubleAttributeType),
    ]
    let model = NSManagedObjectModel()
    model.entities = [reading]
    return model
  }

  private let numbers: [String: Any] = [
    "real": 1.5, "part": 2.5, "exact": NSDecimalNumber(value: 3),
  ]

  private func insert(into context: NSManagedObjectContext) -> NSManagedObject {
    let reading = context.insert("Reading")
    reading.setValuesForKeys(numbers)
    return reading
  }

  @Test func `A required number cannot be saved as not-a-number`() throws {
    let context = try SampleStack(model: makeModel()).context
    context.performAndWait {
      for (key, value) in Self.values {
        let reading = insert(into: context)
        reading.setValue(value, forKey: key)
        let errors = [
          failure { try reading.validateValue(value, forKey: key) }, failure { try context.save() },
        ]
        for error in errors {
          #expect(error?.code == NSValidationMissingMandatoryPropertyError, "\(key)")
          #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
          #expect(
            error?.localizedDescription
              == "\(key) is a required value, and not-a-number is stored as a missing value.")
        }
        context.rollback()
      }
    }
  }

  @Test func `An optional number can be not-a-number`() throws {
    let context = try SampleStack(model: makeModel()).context
    try context.performAndWait {
      let reading = insert(into: context)
      reading.setValue(Double.nan, forKey: "free")
      try reading.validateForInsert()
    }
  }

  @Test(.only(TestedStore.sqlKinds, "other stores have no batch requests"))
  func `A required number cannot be inserted as not-a-number by a batch request`() throws {
    let context = try SampleStack(model: makeModel()).context
    try context.performAndWait {
      for (key, value) in Self.values {
        let row = numbers.merging([key: value as Any]) { $1 }
        let error = failure { try context.batchInsert("Reading", [numbers, row]) }
        #expect(error?.code == NSValidationMissingMandatoryPropertyError, "\(key)")
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
        #expect(error?.localizedDescription.contains("row 2") == true)
        #expect(error?.localizedDescription.contains("a value that is not a number") == true)
      }
      #expect(try context.all("Reading").isEmpty)
      try context.batchInsert("Reading", [numbers.merging(["free": Double.nan]) { $1 }])
      #expect(try context.all("Reading", "free == nil").count == 1)
    }
  }
}
