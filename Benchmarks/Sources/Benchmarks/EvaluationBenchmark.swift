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
    var contest = Contest()
    contest.add("closure over structs") {
      var count = 0
      for person in structs where closure(person) { count += 1 }
      return count
    }
    // Two hundred times slower than the others: a tenth of the rows is enough.
    let times = try contest.run(rounds: scale.rounds)
    let some = Array(fetched.prefix(scale.rows / 10))
    var slow = Contest()
    slow.add("evaluate(with:)") {
      var count = 0
      for object in some where predicate.evaluate(with: object) { count += 1 }
      return count
    }
    let slowTimes = try slow.run(rounds: min(3, scale.rounds)).mapValues { $0 * 10 }
    report.add(
      "evaluate(with:), fetched objects", "evaluate(with:)", against: "closure over structs",
      times.merging(slowTimes) { first, _ in first }, items: scale.rows)
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
