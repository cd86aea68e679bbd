import CoreData
import Predicates
import Testing

@testable import CoreData

/// Checks that every function, with every type of value, has the same result or error for an object in memory as in a
/// fetch, and never traps.
@Suite("Every function of the predicate language with every type of value")
struct EveryFunctionTests {
  @Test(
    "has the same result in memory and in a fetch", arguments: PredicateTables.functions,
    ExhaustiveRun.stores)
  func sameOfFunction(_ function: PredefinedFunction, _ store: TestedStore) throws {
    let formats = ExhaustiveRun.sample(
      PredicateTables.calls(of: function), most: 30, "\(function) \(store)")
    try compare(formats, in: store)
  }

  @Test("has the same result for keys and selectors of values", arguments: ExhaustiveRun.stores)
  func sameOfMessages(_ store: TestedStore) throws {
    let keys = [
      "length", "uppercaseString", "intValue", "doubleValue", "boolValue", "integerValue",
      "stringValue", "timeIntervalSince1970", "UUIDString", "host", "port", "absoluteString",
      "description", "foo", "floatValue", "capitalizedString", "self",
    ]
    let messages = [
      "stringByAppendingString:", "substringFromIndex:", "substringToIndex:", "hasPrefix:",
      "compare:", "isEqual:", "dateByAddingTimeInterval:", "timeIntervalSinceDate:",
      "decimalNumberByDividingBy:", "decimalNumberByMultiplyingBy:",
      "stringByAppendingPathExtension:", "foo:", "URLByAppendingPathComponent:",
    ]
    var formats: [String] = []
    for operand in PredicateTables.attributes + ["next", "next.text", "#some"] {
      for key in keys { formats += ["\(operand).\(key)", "FUNCTION(\(operand), \"\(key)\")"] }
      for message in messages {
        formats += ["nil", "-1", "200", "\"\"", "\"x\"", "text", "double", "date", "1e300"].map {
          "FUNCTION(\(operand), \"\(message)\", \($0))"
        }
      }
    }
    formats = ExhaustiveRun.sample(formats, most: 600, "messages \(store)")
    var operators: [String] = []
    for collection in ["#some", "list", "text", "double"] {
      for operation in ["@count", "@sum", "@avg", "@min", "@max"] {
        // In averages, plain evaluation treats a missing value as 0, as Apple documents: "Collection
        // Operators" of the Key-Value Coding Programming Guide.
        if ["#some", "list"].contains(collection), operation == "@avg" { continue }
        operators += PredicateTables.attributes.map { "\(collection).\(operation).\($0)" }
        operators.append("\(collection).\(operation)")
      }
    }
    try compare(
      formats + ExhaustiveRun.sample(operators, most: 150, "operators \(store)"), in: store)
  }

  private func compare(_ formats: [String], in store: TestedStore) throws {
    try ExhaustiveRun.withWorld(in: store) { world in
      var differences: [String] = []
      var tried = 0
      for format in formats {
        guard let expression = try? NSExpression(validating: format) else { continue }
        tried += 1
        if let difference = difference(expression, world) {
          differences.append("\(format): \(difference)")
        }
      }
      #expect(tried > formats.count * 3 / 4, "\(tried) of \(formats.count) can be parsed")
      ExhaustiveRun.expectNone(differences, of: tried)
    }
  }

  /// Returns how the evaluators disagree about an expression, or nil if they agree.
  private func difference(_ expression: NSExpression, _ world: TypeWorld) -> String? {
    let plain = world.objects.map { object in
      Outcome { try expression.evaluated(with: object, context: nil) }
    }
    let binder = PredicateBinder(world.layout)
    let bound: BoundExpression
    do {
      bound = try binder.single(expression)
    } catch {
      // A store may refuse an expression that can be evaluated in memory.
      return nil
    }
    let evaluator = ValueEvaluator(bound)
    let compiled = world.objects.map { object in
      Outcome { bound.kind.scalar(try evaluator.value(of: object)).boxed }
    }
    // If the expression fails for one row, the fetch fails for all rows.
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
