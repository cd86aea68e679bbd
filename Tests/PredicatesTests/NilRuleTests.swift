import FixtureSupport
import Foundation
import Predicates
import Testing

/// The expected values are SQLite's for the same conditions over a row whose `n` and `t` are NULL
/// and `one` is 1.
@Suite struct NilRuleTests {
  private let row: [String: Any] = ["one": 1, "list": [1], "rows": [["n": 1], [:]]]

  @Test(arguments: [
    ("n == nil", true), ("n != nil", false), ("n == 1", false), ("n != 1", false),
    ("NOT n == 1", false), ("NOT n != 1", false), ("NOT n == nil", false), ("n == t", false),
    ("n > 1", false), ("NOT n > 1", false), ("n BETWEEN {0, 2}", false),
    ("NOT n BETWEEN {0, 2}", false), ("NOT one BETWEEN {5, n}", true), ("t CONTAINS 'x'", false),
    ("NOT t CONTAINS 'x'", false), ("NOT t LIKE '*'", false), ("NOT t MATCHES 'x'", false),
    ("n IN {1, 2}", false), ("NOT n IN {1, 2}", false), ("NOT n IN {}", false),
    ("one IN {1, nil}", true), ("NOT one IN {2, nil}", true), ("n IN {2, nil}", true),
    ("NOT one IN {2}", true),
    ("n == 1 OR one == 1", true), ("NOT (n == 1 AND one == 2)", true),
    ("NOT (n == 1 AND one == 1)", false), ("NOT (n == 1 OR one == 2)", false),
    ("n + 1 == 2", false), ("NOT n + 1 == 2", false), ("uppercase(t) != 'X'", false),
    ("abs(n) == nil", true), ("ANY rows.n == 1", true), ("ANY rows.n != 1", false),
    ("ANY rows.n == nil", true), ("ALL rows.n == 1", false), ("NONE rows.n == 2", true),
    ("SUBQUERY(rows, $r, $r.n != 2).@count == 1", true),
    ("TERNARY(n == 1, 1, 2) == 2", true),
  ])
  func `under the store's rule a comparison with nil is unknown`(
    format: String, expected: Bool
  ) throws {
    let predicate = try NSPredicate(validating: format)
    #expect(try predicate.evaluated(with: row, nilRule: .store) == expected)
  }

  @Test func `substituting nil for a variable makes a comparison with nil`() throws {
    let template = NSPredicate(format: "n == $x")
    #expect(
      try template.substituting(["x": NSNull()]).evaluated(with: row, nilRule: .store))
  }

  @Test(arguments: [
    ("count:(players.fee) == 1", true),
    ("players.@count == 3", true), ("sum:(players.fee) == 2.5", true),
    ("ANY players.fee == nil", true),
  ])
  func `a set's members contribute each value once, and nil is not counted`(
    format: String, expected: Bool
  ) throws {
    let players = [NSDecimalNumber(string: "2.5"), NSDecimalNumber(string: "2.5"), nil]
    let club = ["players": NSSet(array: players.map(Player.init))]
    let predicate = try NSPredicate(validating: format)
    #expect(try predicate.evaluated(with: club, nilRule: .store) == expected)
  }

  private final class Player: NSObject, NSKeyValueCoding {
    let fee: NSDecimalNumber?
    init(fee: NSDecimalNumber?) { self.fee = fee }
    func value(forKey key: String) -> Any? { key == "fee" ? fee : nil }
  }

  @Test func `without nil, both rules agree on random comparisons`() throws {
    var random = SeededGenerator("nil rules")
    for _ in 0..<2_000 {
      let values = (0..<4).map { _ in Int.random(in: 0...3, using: &random) }
      let signs = (0..<2).map { _ in ["==", "!=", "<", ">=", "IN"].randomElement(using: &random) }
      func operand(_ sign: String?, _ value: Int) -> String {
        sign == "IN" ? "{\(value), \(value + 1)}" : "\(value)"
      }
      let link = Bool.random(using: &random) ? "AND" : "OR"
      let format =
        "NOT (a \(signs[0] ?? "") \(operand(signs[0], values[2])) \(link) b \(signs[1] ?? "") \(operand(signs[1], values[3])))"
      let predicate = try NSPredicate(validating: format)
      let object = ["a": values[0], "b": values[1]]
      #expect(
        try predicate.evaluated(with: object, nilRule: .store)
          == predicate.evaluated(with: object, nilRule: .foundation),
        "\(format) \(object)")
    }
  }
}
