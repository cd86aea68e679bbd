import CoreData
import PlainSQLite

/// `age > 30 AND name BEGINSWITH "A"` by every way there is.
enum EvaluationBenchmark {
  static func run(_ scale: Scale, _ report: inout Report) throws {
    let people = try People(count: scale.rows)
    let predicate = try NSPredicate(validating: "age > 30 AND name BEGINSWITH \"A\"")
    let context = people.context()
    try context.performAndWait {
      try evaluate(people, predicate, context, scale, &report)
    }
    try fetch(people, predicate, scale, &report)
  }

  private static func evaluate(
    _ people: People, _ predicate: NSPredicate, _ context: NSManagedObjectContext, _ scale: Scale,
    _ report: inout Report
  ) throws {
    let structs = people.structs
    let closure: (People.Person) -> Bool = { $0.age > 30 && $0.name.hasPrefix("A") }
    let fetched = try context.fetch(People.request())
    guard let entity = fetched.first?.entity else { return }
    let compiled = try CompiledPredicate(predicate, for: entity)
    var contest = Contest()
    contest.add("closure over structs") {
      var count = 0
      for person in structs where closure(person) { count += 1 }
      return count
    }
    contest.add("count(in:)") { try compiled.count(in: fetched) }
    contest.add("filter(_:)") { try compiled.filter(fetched).count }
    contest.add("evaluate(with:)") {
      var count = 0
      for object in fetched where try compiled.evaluate(with: object) { count += 1 }
      return count
    }
    let times = try contest.run(rounds: scale.rounds)
    for name in ["count(in:)", "filter(_:)"] {
      report.add(
        "compiled, fetched objects: \(name)", name, against: "closure over structs", times,
        items: scale.rows, bar: 3)
    }
    // Two thirds of it is the loop's own: it counts the references of every object.
    report.add(
      "compiled, one by one: evaluate(with:)", "evaluate(with:)", against: "closure over structs",
      times, items: scale.rows)
    try evaluateFew(people, predicate, compiled, context, scale, &report)
  }

  /// On a tenth of the rows: objects that are not saved, and the evaluation that is not compiled.
  private static func evaluateFew(
    _ people: People, _ predicate: NSPredicate, _ compiled: CompiledPredicate,
    _ context: NSManagedObjectContext, _ scale: Scale, _ report: inout Report
  ) throws {
    let structs = Array(people.structs.prefix(scale.rows / 10))
    let closure: (People.Person) -> Bool = { $0.age > 30 && $0.name.hasPrefix("A") }
    let unsaved = structs.map { People.insert($0, into: context) }
    var contest = Contest()
    contest.add("closure over structs") {
      var count = 0
      for person in structs where closure(person) { count += 1 }
      return count
    }
    contest.add("count(in:)") { try compiled.count(in: unsaved) }
    contest.add("NSPredicate's evaluate(with:)") {
      var count = 0
      for object in unsaved where predicate.evaluate(with: object) { count += 1 }
      return count
    }
    let times = try contest.run(rounds: min(3, scale.rounds))
    report.add(
      "compiled, unsaved objects: count(in:)", "count(in:)", against: "closure over structs",
      times, items: structs.count, bar: 3)
    report.add(
      "NSPredicate's evaluate(with:)", "NSPredicate's evaluate(with:)",
      against: "closure over structs", times, items: structs.count)
  }

  private static func fetch(
    _ people: People, _ predicate: NSPredicate, _ scale: Scale, _ report: inout Report
  ) throws {
    let plain = try PlainStatement(
      people.url,
      """
      SELECT Z_PK, Z_OPT, Z_ENT, ZAGE, ZNAME, ZSCORE FROM ZPERSON
      WHERE ZAGE > 30 AND ZNAME >= 'A' AND ZNAME < 'B' ORDER BY Z_PK
      """)
    var contest = Contest()
    contest.add("SQLite's C API") { try plain.run() }
    contest.add("fetch") {
      let context = people.context()
      return try context.performAndWait { try context.fetch(People.request(predicate)).count }
    }
    contest.add("count") {
      let context = people.context()
      return try context.performAndWait { try context.count(for: People.request(predicate)) }
    }
    let times = try contest.run(rounds: scale.rounds)
    report.add(
      "fetch of the same, as objects", "fetch", against: "SQLite's C API", times,
      items: scale.rows)
    report.add("count of the same", "count", against: "SQLite's C API", times, items: scale.rows)
  }
}
