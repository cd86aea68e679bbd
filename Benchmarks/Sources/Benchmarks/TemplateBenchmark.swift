import CoreData

/// A template's variables put in, against its text parsed with the values.
enum TemplateBenchmark {
  static func run(_ scale: Scale, _ report: inout Report) throws {
    let count = scale.predicates
    let text = "age > %@ AND name BEGINSWITH %@ AND (team.name IN %@ OR score <= %@)"
    let template = try NSPredicate(
      validating:
        "age > $AGE AND name BEGINSWITH $START AND (team.name IN $TEAMS OR score <= $SCORE)")
    let teams = ["Red", "Blue"]
    var contest = Contest()
    contest.add("parsing") {
      var made = 0
      for index in 0..<count {
        let predicate = try NSPredicate(
          validating: text, arguments: [index, "A", teams, Double(index)])
        made += predicate is NSCompoundPredicate ? 1 : 0
      }
      return made
    }
    contest.add("substituting") {
      var made = 0
      for index in 0..<count {
        let predicate = template.withSubstitutionVariables([
          "AGE": index, "START": "A", "TEAMS": teams, "SCORE": Double(index),
        ])
        made += predicate is NSCompoundPredicate ? 1 : 0
      }
      return made
    }
    let times = try contest.run(rounds: scale.rounds)
    report.add(
      "variables of a template", "substituting", against: "parsing", times, items: count, bar: 0.1)
  }
}
