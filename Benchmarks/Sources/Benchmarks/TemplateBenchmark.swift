import CoreData

/// A template's variables put in, against the two things a program would do without a template:
/// parsing the text with the values as arguments, and parsing the template itself.
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

  static func run(_ scale: Scale, _ report: inout Report) throws {
    for template in templates {
      try run(template.name, template.text, template.variables, scale, &report)
    }
  }

  private static func run(
    _ name: String, _ text: String, _ variables: [String], _ scale: Scale, _ report: inout Report
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

    func repeated(_ make: @escaping (Int) throws -> NSPredicate) -> () throws -> Int {
      {
        var made = 0
        for index in 0..<scale.predicates {
          made += try make(index & 1023) === template ? 0 : 1
        }
        return made
      }
    }
    var contest = Contest()
    contest.add(
      "parsing with values",
      repeated { try NSPredicate(validating: format, arguments: arguments[$0]) })
    contest.add("parsing the template", repeated { _ in try NSPredicate(validating: text) })
    contest.add("substituting", repeated { template.withSubstitutionVariables(values[$0]) })
    let times = try contest.run(rounds: scale.rounds)
    let count = scale.predicates
    report.add(
      "template of \(name)", "substituting", against: "parsing with values", times, items: count,
      bar: 0.1)
    report.add(
      "template of \(name)", "substituting", against: "parsing the template", times, items: count,
      bar: 0.1)
  }
}
