import CoreData
import Predicates
import Testing

@testable import CoreData

/// Arguments for `%@`: values of many types of Swift and Foundation, and values that predicates cannot use.
@Suite("Every type of argument of a predicate")
struct EveryArgumentTests {
  private struct Nameless {}
  private final class Thing: NSObject {}

  private static func arguments(_ world: TypeWorld) -> [(name: String, value: Any)] {
    [
      ("NSNull", NSNull()), ("a set", NSSet(array: [0, 7])), ("a set of nothing", NSSet()),
      ("a set with null", NSSet(array: [NSNull(), 7])),
      ("an ordered set", NSOrderedSet(array: [0, 7])),
      ("a dictionary", NSDictionary(dictionary: ["a": 0, "b": 7])), ("a list", [0, 7]),
      ("a list with null", [NSNull(), 7] as [Any]), ("a list of lists", [[0], [7]]),
      ("a mixed list", [1, "a", Date(timeIntervalSinceReferenceDate: 0), Data()] as [Any]),
      ("a Swift set", Set([0, 7])), ("a Swift dictionary", ["a": 7]), ("a range", 0...7),
      ("Data", Data([1, 2, 3])), ("NSData", NSData(data: Data([255]))),
      ("a date", Date(timeIntervalSinceReferenceDate: 0)), ("NSDate", NSDate.distantFuture),
      ("no date", Date(timeIntervalSinceReferenceDate: .nan)),
      ("an endless date", Date(timeIntervalSinceReferenceDate: .infinity)),
      ("a UUID", UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") as Any),
      ("a URL", URL(string: "urn:x") as Any), ("NSURL", NSURL(string: "urn:x") as Any),
      ("a URL with a base", URL(string: "b", relativeTo: URL(string: "https://h/a")) as Any),
      ("no decimal", NSDecimalNumber.notANumber), ("the largest decimal", NSDecimalNumber.maximum),
      ("the least decimal", NSDecimalNumber.minimum), ("a decimal", Decimal(string: "0.1") as Any),
      ("no number", Double.nan), ("infinity", -Double.infinity), ("UInt64", UInt64.max),
      ("Int8", Int8.min), ("a Float", Float.greatestFiniteMagnitude), ("CGFloat", CGFloat(0.5)),
      ("a truth", true), ("NSNumber of a truth", NSNumber(value: false)),
      ("a character", Character("7")),
      ("a part of a text", "x7".dropFirst()), ("NSMutableString", NSMutableString(string: "7")),
      ("decomposed text", "E\u{301}lan"), ("a text of a zero", "\0"),
      ("a long text", String(repeating: "a", count: 100_000)),
      ("an object", world.objects[2]), ("an ID", world.objects[2].objectID),
      ("objects", [world.objects[2], world.objects[3]]),
      ("IDs", NSSet(array: world.objects.map(\.objectID))),
      ("an entity", world.objects[2].entity), ("a predicate", NSPredicate(value: true)),
      ("a struct", Nameless()), ("an NSObject", Thing()), ("a type", String.self),
      ("an optional", Optional<Int>.none as Any),
      ("a list of optionals", [Optional(7), nil] as Any),
      ("a closure", { 7 }), ("a tuple", (0, 7)), ("a selector", Selector("isEqual:")),
      ("an index path", IndexPath(indexes: [0, 7])), ("an index set", NSIndexSet(index: 7)),
      ("an error", CocoaError(.fileNoSuchFile)),
      ("a measurement", Measurement(value: 1, unit: UnitLength.meters)),
    ]
  }

  private static let signs =
    PredicateTables.operators + ["==[cd]", "IN[c]", "CONTAINS[cd]", "LIKE[c]"]
  private static let sides =
    PredicateTables.attributes + [
      "next", "SELF", "#some", "#some.text", "list.double", "7", "entity",
    ]
  private static let calls =
    [
      "abs:(%@)", "length:(%@)", "sum:(%@)", "max:(%@)", "CAST(%@, 'NSString')", "%@[0]", "-%@",
    ].map { "\($0) == whole" } + [
      "%@.@count == small", "SUBQUERY(%@, $x, $x == SELF.whole).@count > 0",
    ]

  /// The number of formats that are tried with each argument.
  private static let forms = calls.count + 4 * signs.count * sides.count

  /// Returns one of the formats and its name: the format with the name of an argument in place of `%@`.
  ///
  /// Only formats in the sample are made, because making all of them would take long.
  private static func form(_ index: Int, of argument: String) -> (name: String, format: String) {
    let format: String
    if index < calls.count {
      format = calls[index]
    } else {
      let (rest, shape) = (index - calls.count).quotientAndRemainder(dividingBy: 4)
      let (sign, side) = (signs[rest / sides.count], sides[rest % sides.count])
      format =
        [
          "\(side) \(sign) %@", "%@ \(sign) \(side)", "ANY %@ \(sign) \(side)",
          "ALL \(side) \(sign) %@",
        ][shape]
    }
    return (format.replacing("%@", with: argument), format)
  }

  @Test(
    "has the same result or error in every evaluation",
    arguments: ExhaustiveRun.stores)
  func everyArgument(_ store: TestedStore) throws {
    try ExhaustiveRun.withWorld(in: store) { world in
      let arguments = Self.arguments(world)
      let places = arguments.indices.flatMap { argument in
        (0..<Self.forms).map { (argument: argument, form: $0) }
      }
      let sample = ExhaustiveRun.sample(places, most: 300, "arguments \(store)")
      var differences: [String] = []
      var answers = 0
      for place in sample {
        let (argument, value) = arguments[place.argument]
        let (name, format) = Self.form(place.form, of: argument)
        guard let predicate = try? NSPredicate(validating: format, arguments: [value]) else {
          continue
        }
        let outcomes = PredicateOutcomes(predicate, world)
        if outcomes.hasResult { answers += 1 }
        // A store saves NaN as NULL, so a fetch differs from the other evaluations: see "Differences: fetching and
        // predicates".
        if name.contains("no number") || name.contains("no date") || name.contains("no decimal") {
          continue
        }
        if let difference = outcomes.difference { differences.append("\(name): \(difference)") }
      }
      #expect(answers > 5, "\(answers) of \(sample.count) have a result")
      ExhaustiveRun.expectNone(differences, of: sample.count)
    }
  }
}
