import CoreData

/// Compares substituting a template's variables with parsing a format string whose arguments are the values, as a
/// program without a template would, and with parsing the template itself.
enum TemplateBenchmark {
  private static let templates: [(name: String, text: String, variables: [String])] = [
    ("one variable", "age > $AGE", ["AGE"]),
    ("two variables", "age > $AGE AND name BEGINSWITH[c] $START", ["AGE", "START"]),
    (
      "four variables",
      "age > $AGE AND name BEGINSWITH $START AND (team.name IN $TEAMS OR score <= $SCORE)",
      ["AGE", "START", "TEAMS", "SCORE"]
    ),
  ]

  private static let parsing = "parsing the template"

  static var comparisons: [Comparison] {
    templates.map { template in
      let count = Scale.current.predicates
      return Comparison(
        name: "template of \(template.name)", items: count, floor: "parsing with values",
        peers: [parsing], bar: 0.1, peerBars: [parsing: 0.1], isInSeveralProcesses: true
      ) { try prepare(template.text, template.variables, count, &$0) }
    }
  }

  private static func prepare(
    _ text: String, _ variables: [String], _ count: Int, _ contest: inout Contest
  ) throws {
    let template = try NSPredicate(validating: text)
    let format = variables.reduce(text) { $0.replacingOccurrences(of: "$" + $1, with: "%@") }
    let values: [[String: Any]] = (0..<1024).map {
      let all: [String: Any] = [
        "AGE": $0, "START": "A", "TEAMS": ["Red", "Blue"], "SCORE": Double($0),
      ]
      return all.filter { variables.contains($0.key) }
    }
    let arguments = values.map { values in variables.compactMap { values[$0] } }

    func repeated(_ make: @escaping (Int) throws -> NSPredicate) -> Contest.Body {
      { _ in
        var made = 0
        for index in 0..<count { made += try make(index & 1023) === template ? 0 : 1 }
        return made
      }
    }
    contest.floor(
      repeated { try NSPredicate(validating: format, arguments: arguments[$0]) })
    contest.peer(parsing, repeated { _ in try NSPredicate(validating: text) })
    contest.ours(repeated { template.withSubstitutionVariables(values[$0]) })
  }
}
