import Foundation
import Predicates
import Testing

/// Evaluation over collections of every kind: dictionaries, arrays, sets, custom types.
@Suite struct CollectionEvaluationTests {
  private struct Team: NSKeyValueCoding {
    var name: String
    var players: [Player] = []
    var tags: Set<String> = []
    func value(forKey key: String) -> Any? {
      switch key {
      case "name": name
      case "players": players
      case "tags": tags
      default: nil
      }
    }
  }

  private struct Player: NSKeyValueCoding {
    var name: String?
    var age: Int?
    var goals: [Int] = []
    func value(forKey key: String) -> Any? {
      switch key {
      case "name": name
      case "age": age
      case "goals": goals
      default: nil
      }
    }
  }

  private var league: [String: Any] {
    [
      "title": "Premier",
      "teams": [
        Team(
          name: "Reds",
          players: [
            Player(name: "Ann", age: 20, goals: [1, 2]), Player(name: "Bo", age: 30, goals: []),
            Player(name: nil, age: nil, goals: [5]),
          ], tags: ["old", "rich"]),
        Team(name: "Blues", players: [Player(name: "Cy", age: 25, goals: [9])], tags: ["new"]),
        Team(name: "Empty"),
      ],
      "scores": ["Reds": 3, "Blues": 5, "of 3": ["x", "y"]] as [String: Any],
      "matrix": [[1, 2], [2, 3]],
      "ordered": NSOrderedSet(array: [3, 1, 2]),
      "set": NSSet(array: [1, 2]),
      "nested": ["a": ["b": ["c": 1]]],
      "rows": [["k": 1, "v": "a"], ["k": 2], ["k": 1, "v": "b"]] as [[String: Any]],
      "index": 1, "name": "Blues",
    ]
  }

  @Test(arguments: [
    // Dictionaries.
    ("title == 'Premier'", true), ("scores.Reds == 3", true), ("scores['Reds'] == 3", true),
    ("scores[name] == 5", true), ("scores['of 3'][1] == 'y'", true), ("scores['?'] == nil", true),
    ("nested.a.b.c == 1", true), ("nested['a']['b']['c'] == 1", true), ("missing == nil", true),
    ("missing.deeper.still == nil", true), ("scores[SIZE] == 3", true), ("5 IN scores", true),
    ("scores.@count == 3", true), ("scores CONTAINS 3", true), ("'Reds' IN scores", false),
    // Arrays.
    ("matrix[0][1] == 2", true), ("(matrix[LAST])[FIRST] == 2", true),
    ("matrix[index][0] == 2", true),
    ("matrix[SIZE] == 2", true), ("teams[0].name == 'Reds'", true),
    ("teams[LAST].name == 'Empty'", true),
    ("teams.name == {'Reds', 'Blues', 'Empty'}", true), ("(teams.name)[1] == 'Blues'", true),
    ("teams.@count == 3", true), ("rows.k == {1, 2, 1}", true), ("'Reds' IN teams.name", true),
    ("teams.name CONTAINS 'Reds'", true), ("'reds' IN[c] teams.name", true),
    ("ANY teams.name BEGINSWITH[c] 'r'", true), ("ALL teams.name.length > 3", true),
    ("NONE teams.name == 'Greens'", true), ("ANY teams.players.age > 29", true),
    ("ALL teams.players.goals > 0", true), ("ANY matrix == 3", true),
    // Sets and ordered sets.
    ("1 IN set", true), ("set.@sum.self == 3", true), ("ANY set == 2", true),
    ("set == {2, 1}", true),
    ("ordered[0] == 3", true), ("ordered == {3, 1, 2}", true), ("ordered == {1, 2, 3}", false),
    ("ordered[LAST] == 2", true), ("'rich' IN teams[0].tags", true), ("set[SIZE] == 2", true),
    // Nested operators in key paths.
    ("teams.@count == 3", true), ("matrix.@unionOfArrays.self == {1, 2, 2, 3}", true),
    ("matrix.@distinctUnionOfArrays.self == {1, 2, 3}", true),
    ("(matrix.@distinctUnionOfArrays.self).@count == 3", true),
    ("rows.@distinctUnionOfObjects.k == {1, 2}", true),
    ("rows.@unionOfObjects.v == {'a', 'b'}", true),
    ("rows.@max.k == 2", true), ("rows.@min.v == 'a'", true), ("rows.@sum.k == 4", true),
    ("rows.@avg.k < 1.4", true), ("teams.@max.players.@count == 3", true),
    ("teams.@sum.players.@count == 4", true), ("teams.players.@count == 3", true),
    ("(teams.@unionOfArrays.players).name.@count == 4", true),
    ("(teams[0]).players.@avg.age == (50 / 3.0)", true),
    ("(teams[0]).players.@max.age == 30", true),
    ("(teams[2]).players.@max.age == nil", true), ("(teams[2]).players.@sum.age == 0", true),
    // Subqueries.
    ("SUBQUERY(teams, $t, $t.players.@count > 0).@count == 2", true),
    ("SUBQUERY(teams, $t, $t.name == name).@count == 1", true),
    ("SUBQUERY(teams, $t, SUBQUERY($t.players, $p, $p.age > 20).@count > 0).@count == 2", true),
    (
      "SUBQUERY(teams, $x, SUBQUERY($x.players, $x, $x.age > 20).@count > 0 AND $x.name == 'Reds').@count == 1",
      true
    ),
    ("SUBQUERY(teams, $t, ANY $t.tags == 'new').name == {'Blues'}", true),
    ("SUBQUERY(teams, $t, 'old' IN $t.tags)[0].name == 'Reds'", true),
    ("SUBQUERY(rows, $r, $r['v'] == nil).@count == 1", true),
    ("SUBQUERY(matrix, $m, SUBQUERY($m, $n, $n == 3).@count == 1)[0][1] == 3", true),
    ("ANY SUBQUERY(teams, $t, $t.players.@count > 0).name == 'Blues'", true),
    ("SUBQUERY(missing, $t, $t == 1).@count == 0", true),
    // Lists and ranges.
    ("index IN {1, 2}", true), ("{1, 2} CONTAINS index", true), ("{index, 5} == {1, 5}", true),
    ("index BETWEEN {index, index}", true), ("set INTERSECT {2, 7} == {2}", true),
    ("set UNION {7} == {1, 2, 7}", true), ("(set MINUS {2})[0] == 1", true),
  ])
  func `a condition over collections is true or false`(format: String, expected: Bool) throws {
    let predicate = try NSPredicate(validating: format)
    #expect(try predicate.evaluated(with: league) == expected)
  }

  @Test func `a subquery's variable hides an outer one of the same name only inside it`() throws {
    let predicate = try NSPredicate(
      validating: "$x == 7 AND SUBQUERY(list, $x, $x == 1).@count == 1 AND $x == 7")
    #expect(try predicate.evaluated(with: ["list": [1, 2]], variables: ["x": 7]))
    let substituted = try predicate.substituting(["x": 7])
    #expect(
      substituted.description
        == "7 == 7 AND SUBQUERY(list, $x, $x == 1).@count == 1 AND 7 == 7")
    #expect(try substituted.evaluated(with: ["list": [1, 2]]))
  }

  @Test func `a key path can follow a variable's value`() throws {
    let predicate = try NSPredicate(validating: "$a.$b == 1 AND $c[$d] == 'y'")
    let variables: [String: Any] = ["a": ["k": 1], "b": "k", "c": ["x", "y"], "d": 1]
    #expect(try predicate.evaluated(with: nil, variables: variables))
    #expect(try predicate.substituting(variables).evaluated(with: nil))
  }

  @Test(arguments: [
    ("a.b[0] == 1", "an index needs a collection, not 1 of type Int"),
    ("list[-2] == 1", "the index -2 of a collection is below 0"),
    (
      "SUBQUERY(a.b, $x, $x == 1).@count == 1",
      "SUBQUERY(a.b, $x, $x == 1) needs a collection, not 1 of type Int"
    ),
    ("list.@foo.a == 1", "\"@foo\" is not a key path operator"),
    ("list.@sum == 1", "@sum must be followed by a key"),
    ("a.b.@count == 1", "@count needs a collection, not a value of type Int"),
    ("list UNION 1 == list", "UNION needs collections, not 1 of type Int"),
    ("a.b.c == 1", "Int has no value for the key \"c\""),
    (
      "list CONTAINS[c] 1 AND 1 IN a.b",
      "Can't use in/contains operator with collection 1 of type Int (not a collection), in 1 IN a.b"
    ),
  ])
  func `an error states the invalid value, index or operator`(format: String, message: String)
    throws
  {
    let error = #expect(throws: InvalidPredicateError.self) {
      try NSPredicate(validating: format).evaluated(with: ["a": ["b": 1], "list": [1, 2]])
    }
    #expect(error?.message == message)
  }

  @Test func `Foundation's arrays, sets and dictionaries are equivalent to Swift's`() throws {
    let objects: [Any] = [
      ["list": [1, 2], "map": ["k": 1]] as [String: Any],
      NSDictionary(
        dictionary: ["list": NSArray(array: [1, 2]), "map": NSDictionary(dictionary: ["k": 1])]),
      ["list": NSOrderedSet(array: [1, 2]), "map": ["k": NSNumber(value: 1)]] as [AnyHashable: Any],
    ]
    let predicate = try NSPredicate(
      validating:
        "list[0] == 1 AND ANY list == 2 AND map.k == 1 AND map['k'] == 1 AND list.@sum.self == 3"
    )
    for object in objects { #expect(try predicate.evaluated(with: object)) }
  }

  // On Linux, Foundation's decimal number traps when its hash is computed.
  @Test(arguments: ["prices[amount] == 1", "prices[list] == 1", "prices[table] == 1"])
  func `A value that cannot be hashed matches no key of a dictionary`(format: String) throws {
    let number = NSDecimalNumber(string: "1.5")
    let row: [String: Any] = [
      "prices": ["a": 1], "amount": number, "list": [number], "table": ["a": number],
    ]
    #expect(try !NSPredicate(validating: format, arguments: []).evaluated(with: row))
    let constant = try NSPredicate(validating: "prices[%@] == 1", arguments: [number])
    #expect(try !constant.evaluated(with: row))
  }
}
