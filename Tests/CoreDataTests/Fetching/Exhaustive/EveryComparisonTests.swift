import CoreData
import FixtureSupport
import Predicates
import Testing

@testable import CoreData

/// Every operator with every type of value on its two sides, nil and wrong types included: an answer
/// or an error, the same in memory and in a fetch, and never a trap.
@Suite("Every operator of the predicate language with every type of value")
struct EveryComparisonTests {
  private static let operators = [
    "==", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
    "MATCHES",
  ]
  private static let constants = [
    "nil", "0", "7", "-1", "9223372036854775807", "1.5", "1e300", "CAST(\"-inf\", \"NSNumber\")",
    "\"\"", "\"7\"", "\"[\"", "\"Élan\"", "CAST(0, \"NSDate\")", "CAST(1e17, \"NSDate\")",
    "CAST(\"AQID\", \"NSData\")", "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9",
    "CAST(\"urn:x\", \"NSURL\")", "CAST(\"0.1\", \"NSDecimalNumber\")", "YES", "{}", "{1}", "{nil}",
    "{0, 7}", "{7, 0}", "{\"a\", 7, nil}", "{nil, nil}", "{1, 2, 3}", "{\"\", \"z\"}",
    "{CAST(-1e9, \"NSDate\"), CAST(1e9, \"NSDate\")}",
  ]
  private static let computed = [
    "whole * 12", "double / small", "money + whole", "text.length", "uppercase:(text)", "-small",
    "next.double", "next.next.text", "next", "SELF", "some.@count", "some.@max.double",
    "list[0].whole", "TERNARY(flag == YES, whole, double)", "whole & small", "bytes.length",
    "CAST(text, \"NSNumber\")", "some", "some.text", "list.double", "sum:(some.whole)",
  ]

  @Test("gives the same in memory and in a fetch", arguments: Self.operators)
  func everyOperator(_ sign: String) throws {
    let world = try TypeWorld()
    let attributes = TypeWorld.attributes.map(\.name)
    let isText = ["IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "=="].contains(
      sign)
    var formats: [String] = []
    for option in isText ? ["", "[cd]"] : [""] {
      let operators = sign + option
      for left in attributes + Self.computed {
        for right in attributes + Self.constants + Self.computed {
          formats.append("\(left) \(operators) \(right)")
        }
      }
      for (left, right) in zip(attributes + Self.computed, Self.constants + Self.constants) {
        formats.append("NOT \(left) \(operators) \(right)")
      }
      for left in Self.constants {
        for right in attributes { formats.append("\(left) \(operators) \(right)") }
      }
      for left in [
        "some.text", "some.double", "list.date", "some", "some.next.text", "text", "{1, 2}",
      ] {
        for right in Self.constants + attributes {
          formats += ["ANY", "ALL", "NONE"].map { "\($0) \(left) \(operators) \(right)" }
        }
      }
    }
    try compare(formats, in: world)
  }

  private func compare(_ formats: [String], in world: TypeWorld) throws {
    try world.context.performAndWait {
      var differences: [String] = []
      var answers = 0
      for format in formats {
        guard let predicate = try? NSPredicate(validating: format) else { continue }
        let (difference, isAnswer) = difference(predicate, world)
        if isAnswer { answers += 1 }
        if let difference { differences.append("\(format): \(difference)") }
      }
      #expect(answers > 50, "\(answers) of \(formats.count) have an answer")
      #expect(
        differences.isEmpty,
        "\(differences.count) of \(formats.count) differ:\n\(differences.prefix(7).joined(separator: "\n"))"
      )
    }
  }

  /// How the evaluators differ about a predicate; nil where they agree.
  private func difference(_ predicate: NSPredicate, _ world: TypeWorld) -> (String?, Bool) {
    let dynamic = world.objects.map { object in
      Outcome { try predicate.evaluated(with: object, nilRule: .store) }
    }
    let plain = world.objects.map { object in Outcome { try predicate.evaluated(with: object) } }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
    request.predicate = predicate
    let plan: FetchPlan
    do {
      plan = try FetchPlan(request, in: world.coordinator.layouts)
    } catch {
      let fetched = Outcome { try world.context.fetch(request).count }
      return (fetched.isFailure ? nil : "bound \(error), fetched \(fetched)", false)
    }
    let fetched = Outcome {
      let found = try world.context.fetch(request)
      return Set(found.map(\.objectID))
    }
    let bound = world.objects.map { object in Outcome { try plan.matches(object) } }
    // A fetch fails as a whole.
    if fetched.isFailure {
      return (bound.contains(where: \.isFailure) ? nil : "bound \(bound), fetched \(fetched)", true)
    }
    guard case .value(let ids as Set<NSManagedObjectID>) = fetched else { return (nil, true) }
    // A store knows the types of its columns and reads a constant of another type as one of them;
    // in memory a value is what it is.
    let isConverted = isOfUnlikeKinds(predicate, world)
    let text = predicate.description
    for (row, object) in world.objects.enumerated() {
      if !bound[row].agrees(with: .value(ids.contains(object.objectID))) {
        return ("row \(row) bound \(bound[row]), fetched \(ids.contains(object.objectID))", true)
      }
      if isConverted { continue }
      if !dynamic[row].agrees(with: bound[row]) {
        return ("row \(row) dynamic \(dynamic[row]), bound \(bound[row])", true)
      }
      // Where nil is read, plain evaluation follows Foundation; and its decimals have all digits.
      if row > 1, row < 4, !text.contains("next"), !text.contains("money"), !text.contains("list"),
        !text.contains("some"), !plain[row].agrees(with: bound[row])
      {
        return ("row \(row) plain \(plain[row]), bound \(bound[row])", true)
      }
    }
    return (nil, true)
  }

  /// Whether a constant has another kind than what it is compared with.
  private func isOfUnlikeKinds(_ predicate: NSPredicate, _ world: TypeWorld) -> Bool {
    var predicate = predicate
    while case .compound(_, let parts) = predicate.shape, let part = parts.first {
      predicate = part
    }
    guard case .comparison(let comparison) = predicate.shape else { return false }
    let binder = PredicateBinder(world.layout)
    func kinds(_ expression: NSExpression) -> [ValueKind] {
      if let kind = try? binder.single(expression).kind { return [kind] }
      if case .aggregate(let elements) = expression.node { return elements.flatMap(kinds) }
      if case .keyPath(let path) = expression.node {
        // The kind of the members' value.
        return path.split(separator: ".").last.map { [NSExpression(forKeyPath: "\($0)")] }?
          .flatMap { (try? binder.single($0).kind).map { [$0] } ?? [] } ?? []
      }
      return []
    }
    let (left, right) = (kinds(comparison.leftExpression), kinds(comparison.rightExpression))
    let isText = ["IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES"]
      .contains { predicate.description.contains(" \($0)") }
    return left.contains { one in
      right.contains {
        !$0.isComparable(to: one) || isText && ($0.isNumber || $0 == .uri || one == .uri)
      }
    }
  }
}
