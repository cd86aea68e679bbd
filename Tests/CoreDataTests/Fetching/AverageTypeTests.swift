import CoreData
import Testing

@testable import CoreData

/// The average of dates is a date. A function that has no meaning for a type throws an error, in a fetch and in memory.
@Suite("Aggregate functions of values of every type")
struct AverageTypeTests {
  private static let functions = [
    "sum:", "average:", "min:", "max:", "median:", "stddev:", "count:",
  ]
  /// The functions that are defined for a type. All are defined for a type that is missing here.
  private static let meaningful: [NSAttributeType: Set<String>] = [
    .dateAttributeType: ["average:", "min:", "max:", "median:", "count:"],
    .stringAttributeType: ["min:", "max:", "count:"],
    .UUIDAttributeType: ["min:", "max:", "count:"], .URIAttributeType: ["min:", "max:", "count:"],
    .binaryDataAttributeType: ["min:", "max:", "count:"],
  ]

  private func fetched(_ expression: NSExpression, _ world: TypeWorld) throws -> Any? {
    let column = NSExpressionDescription()
    column.name = "value"
    column.expression = expression
    let request = NSFetchRequest<NSDictionary>(entityName: "Thing")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [column]
    return try world.context.fetch(request).first?["value"]
  }

  /// Excludes `whole`, because the database adds integers as doubles, and such sums are inexact for the largest 64-bit
  /// integers.
  @Test(arguments: TypeWorld.attributes.map(\.name).filter { $0 != "whole" })
  func `have the same results in memory and in a fetch`(name: String) throws {
    let world = try TypeWorld()
    try world.context.performAndWait {
      let type = try #require(world.objects[0].entity.attributesByName[name]?.attributeType)
      for function in Self.functions {
        let expression = NSExpression(
          forFunction: function, arguments: [NSExpression(forKeyPath: name)])
        let ofAll = try NSExpression(
          validating: "\(function)(%@)",
          arguments: [
            world.objects.compactMap { $0.value(forKey: name) }
          ])
        let stored = Outcome { try fetched(expression, world) }
        let memory = Outcome { try ofAll.evaluated(with: nil, context: nil) }
        #expect(stored.agrees(with: memory), "\(function) \(stored), in memory \(memory)")
        let isMeaningful = Self.meaningful[type]?.contains(function) ?? true
        #expect(stored.isFailure == !isMeaningful, "\(function) \(stored)")
        if type == .dateAttributeType, isMeaningful, function != "count:" {
          guard case .value(let value) = stored else { continue }
          #expect(value is Date, "\(function) \(stored)")
        }
      }
    }
  }

  @Test func `errors state the function, the property and its type`() throws {
    let world = try TypeWorld()
    try world.context.performAndWait {
      for (name, kind) in [("text", "a string"), ("uuid", "a UUID"), ("date", "a date")] {
        let expression = try NSExpression(validating: "sum:(\(name))")
        let error = #expect(throws: (any Error).self) { try fetched(expression, world) }
        #expect(
          error?.localizedDescription.contains("sum: does not support \(name), which is \(kind)")
            == true,
          "\(error?.localizedDescription ?? "")")
      }
    }
  }

  @Test(
    "errors in conditions name values and types in plain words",
    arguments: [
      ("randomn:(next) > 1", "next, which is an object of Thing"),
      ("5 LIKE text", "and the constant 5 is not a string"),
      ("lowercase:(text) == next", "a string cannot be compared with next"),
      ("small == \"many\"", "small (an integer) cannot be compared with many (a string)"),
      ("next.uuid == 5", "next.uuid (a UUID) cannot be compared with 5 (an integer)"),
      ("next == 5", "next (an object of Thing) cannot be compared with 5 (an integer)"),
    ])
  func messages(format: String, part: String) throws {
    let world = try TypeWorld()
    try world.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
      request.predicate = try NSPredicate(validating: format)
      let error = #expect(throws: (any Error).self) { try world.context.fetch(request) }
      #expect(
        error?.localizedDescription.contains(part) == true, "\(error?.localizedDescription ?? "")")
    }
  }

  @Test func `results of computed columns can be cast as numbers`() throws {
    let world = try TypeWorld()
    try world.context.performAndWait {
      let count = try fetched(try NSExpression(validating: "count:(small)"), world)
      #expect(count as? Int == 5 && count as? Double == 5)
      let sum = try fetched(try NSExpression(validating: "sum:(small)"), world)
      #expect(sum as? Int == 5 && sum as? Double == 5 && sum as? NSNumber == 5)
    }
  }
}
