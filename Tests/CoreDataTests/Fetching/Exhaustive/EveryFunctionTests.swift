import CoreData
import FixtureSupport
import Predicates
import Testing

@testable import CoreData

/// Every function with every type of value: an answer or an error, the same of an object in memory
/// and in a fetch, and never a trap.
@Suite("Every function of the predicate language with every type of value")
struct EveryFunctionTests {
  /// What can be an argument: attributes of every type, constants at the edges, and what is no value.
  private static let operands: [String] =
    TypeWorld.attributes.map(\.name) + [
      "next", "next.double", "nil", "0", "-1", "200", "9223372036854775807",
      "-9223372036854775808", "1.5", "1e300", "CAST(\"inf\", \"NSNumber\")", "\"\"", "\"7\"",
      "\"x\"", "CAST(1e17, \"NSDate\")", "YES",
    ]
  private static let collections = [
    "some", "some.whole", "some.double", "some.money", "some.text", "some.date", "some.uuid",
    "some.flag", "some.bytes", "list", "list.double", "list.date", "{}", "{1, 2.5, nil}",
    "{\"a\", 1}", "{whole, double}", "SUBQUERY(some, $s, $s.whole > 0)",
    "SUBQUERY(some, $s, $s.whole > 0).whole", "SUBQUERY(list, $s, $s.text == nil).date",
  ]

  private static var functions: [PredefinedFunction] {
    PredefinedFunction.allCases.filter { $0 != .random && $0 != .now && $0 != .distance }
  }

  @Test("gives the same in memory and in a fetch", arguments: Self.functions)
  func sameOfFunction(_ function: PredefinedFunction) throws {
    let world = try TypeWorld()
    var formats: [String] = []
    func call(_ arguments: [String]) -> String {
      "\(function.rawValue)(\(arguments.joined(separator: ", ")))"
    }
    switch function {
    case .cast:
      for type in [
        "NSString", "NSNumber", "NSDecimalNumber", "NSDate", "NSData", "NSUUID", "NSURL", "Foo",
      ] {
        formats += (Self.operands + Self.collections).map { "CAST(\($0), \"\(type)\")" }
      }
    case .elementAtIndex:
      for index in ["0", "1", "-1", "9", "FIRST", "LAST", "SIZE", "\"x\"", "nil", "1.5"] {
        formats += (Self.operands + Self.collections).map { "(\($0))[\(index)]" }
      }
    case _ where function.argumentCount == 2...2:
      for left in Self.operands { formats += Self.operands.map { call([left, $0]) } }
      formats += Self.collections.map { call([$0, "1"]) }
    case _ where function.argumentCount.upperBound == .max:
      // Of one attribute they are, in a request for dictionaries, functions of all rows.
      formats += Self.collections.map { call([$0]) }
      for left in Self.operands { formats.append(call([left, "double", "1"])) }
    default: formats += (Self.operands + Self.collections).map { call([$0]) }
    }
    try compare(formats, in: world)
  }

  @Test("gives the same for keys of values and messages to them")
  func sameOfMessages() throws {
    let world = try TypeWorld()
    let keys = [
      "length", "uppercaseString", "intValue", "doubleValue", "boolValue", "integerValue",
      "stringValue", "timeIntervalSince1970", "UUIDString", "host", "port", "absoluteString",
      "description", "foo",
    ]
    let messages = [
      "stringByAppendingString:", "substringFromIndex:", "substringToIndex:", "hasPrefix:",
      "compare:", "isEqual:", "dateByAddingTimeInterval:", "timeIntervalSinceDate:",
      "decimalNumberByDividingBy:", "stringByAppendingPathExtension:", "foo:",
      "URLByAppendingPathComponent:",
    ]
    var formats: [String] = []
    for operand in TypeWorld.attributes.map(\.name) + ["next", "next.text", "some"] {
      for key in keys { formats += ["\(operand).\(key)", "FUNCTION(\(operand), \"\(key)\")"] }
      for message in messages {
        formats += ["nil", "-1", "200", "\"\"", "\"x\"", "text", "double", "date", "1e300"].map {
          "FUNCTION(\(operand), \"\(message)\", \($0))"
        }
      }
    }
    for collection in ["some", "list", "text", "double"] {
      for operation in ["@count", "@sum", "@avg", "@min", "@max"] {
        // Plain evaluation takes a missing value for 0 there, as Apple documents.
        if collection == "list", operation == "@avg" { continue }
        formats += TypeWorld.attributes.map { "\(collection).\(operation).\($0.name)" }
        formats.append("\(collection).\(operation)")
      }
    }
    try compare(formats, in: world)
  }

  private func compare(_ formats: [String], in world: TypeWorld) throws {
    try world.context.performAndWait {
      var differences: [String] = []
      for format in formats {
        guard let expression = try? NSExpression(validating: format) else { continue }
        if let difference = difference(expression, world) {
          differences.append("\(format): \(difference)")
        }
      }
      #expect(
        differences.isEmpty,
        "\(differences.count) of \(formats.count) differ:\n\(differences.prefix(7).joined(separator: "\n"))"
      )
    }
  }

  /// How the evaluators differ about an expression; nil where they agree.
  private func difference(_ expression: NSExpression, _ world: TypeWorld) -> String? {
    let plain = world.objects.map { object in
      Outcome { try expression.evaluated(with: object, context: nil) }
    }
    let binder = PredicateBinder(world.layout)
    let bound: BoundExpression
    do {
      bound = try binder.single(expression)
    } catch {
      // A store may refuse what memory can do. It refuses for all rows what memory refuses for one.
      return nil
    }
    let evaluator = ValueEvaluator(bound)
    let compiled = world.objects.map { object in
      Outcome { bound.kind.scalar(try evaluator.value(of: object)).boxed }
    }
    // A fetch fails as a whole.
    let fetched: [Outcome]
    do {
      fetched = try self.fetched(expression, world).map { .value($0) }
    } catch {
      guard compiled.contains(where: \.isFailure) else { return "fetched \(error)" }
      fetched = compiled
    }
    let isRandom = "\(expression)".hasPrefix("randomn:")
    for row in world.objects.indices {
      if isRandom, !plain[row].isFailure, !compiled[row].isFailure, !fetched[row].isFailure {
        continue
      }
      if !compiled[row].agrees(with: fetched[row]) {
        return "row \(row) compiled \(compiled[row]), fetched \(fetched[row])"
      }
      if !plain[row].agrees(with: compiled[row]) {
        return "row \(row) plain \(plain[row]), compiled \(compiled[row])"
      }
    }
    return nil
  }

  private func fetched(_ expression: NSExpression, _ world: TypeWorld) throws -> [Any?] {
    let column = NSExpressionDescription()
    column.name = "value"
    column.expression = expression
    column.expressionResultType = .undefinedAttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Thing")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["row", column]
    request.sortDescriptors = [NSSortDescriptor(key: "row", ascending: true)]
    return try world.context.fetch(request).map { $0["value"] }
  }
}
