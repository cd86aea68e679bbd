import CoreData
import PlainSQLite

/// Compares all ways to evaluate `age > 30 AND name BEGINSWITH "A"`.
enum EvaluationBenchmark {
  private static let rows = Scale.current.rows
  private static let closure = "closure over structs"

  static var comparisons: [Comparison] {
    [
      fetched("compiled, fetched objects: count(in:)", bar: 3) { try $0.count(in: $1) },
      fetched("compiled, fetched objects: filter(_:)", bar: 3) { try $0.filter($1).count },
      // The loop itself takes two thirds of the time, because it retains and releases every object.
      fetched("compiled, one by one: evaluate(with:)", bar: nil) { predicate, objects in
        var count = 0
        for object in objects where try predicate.evaluate(with: object) { count += 1 }
        return count
      },
      unsaved("compiled, unsaved objects: count(in:)", bar: 3) { predicate, objects in
        guard let entity = objects.first?.entity else { return { 0 } }
        let compiled = try CompiledPredicate(predicate, for: entity)
        return { try compiled.count(in: objects) }
      },
      unsaved("NSPredicate's evaluate(with:)", bar: nil) { predicate, objects in
        {
          var count = 0
          for object in objects where predicate.evaluate(with: object) { count += 1 }
          return count
        }
      },
      fetch("fetch of the same, as objects") { try $0.fetch($1).count },
      fetch("count of the same") { try $0.count(for: $1) },
    ]
  }

  private static func predicate() throws -> NSPredicate {
    try NSPredicate(validating: "age > 30 AND name BEGINSWITH \"A\"")
  }

  /// Counts with a closure over structs, as a program without managed objects would.
  private static func count(_ structs: [People.Person]) -> Int {
    let closure: (People.Person) -> Bool = { $0.age > 30 && $0.name.hasPrefix("A") }
    var count = 0
    for person in structs where closure(person) { count += 1 }
    return count
  }

  private static func fetched(
    _ name: String, bar: Double?,
    _ count: @escaping (CompiledPredicate, [NSManagedObject]) throws -> Int
  ) -> Comparison {
    Comparison(name: name, items: rows, floor: closure, bar: bar) { contest in
      let people = try People(count: rows)
      let context = people.context()
      let objects = try context.performAndWait { try context.fetch(People.request()) }
      guard let entity = objects.first?.entity else { return }
      let compiled = try CompiledPredicate(predicate(), for: entity)
      contest.floor { _ in self.count(people.structs) }
      contest.ours { _ in try context.performAndWait { try count(compiled, objects) } }
    }
  }

  /// Compares the evaluation of unsaved objects, for a tenth of the rows.
  private static func unsaved(
    _ name: String, bar: Double?,
    _ make: @escaping (NSPredicate, [NSManagedObject]) throws -> () throws -> Int
  ) -> Comparison {
    Comparison(name: name, items: rows / 10, floor: closure, bar: bar) { contest in
      let people = try People(count: rows / 10)
      let context = people.context()
      let predicate = try predicate()
      let count = try context.performAndWait {
        try make(predicate, people.structs.map { People.insert($0, into: context) })
      }
      contest.floor { _ in self.count(people.structs) }
      contest.ours { _ in try context.performAndWait { try count() } }
    }
  }

  private static func fetch(
    _ name: String,
    _ count:
      @escaping (NSManagedObjectContext, NSFetchRequest<NSManagedObject>) throws -> Int
  ) -> Comparison {
    Comparison(name: name, items: rows, floor: "SQLite's C API") { contest in
      let people = try People(count: rows)
      let predicate = try predicate()
      let plain = try PlainStatement(
        people.url,
        """
        SELECT Z_PK, Z_OPT, Z_ENT, ZAGE, ZNAME, ZSCORE FROM ZPERSON
        WHERE ZAGE > 30 AND ZNAME >= 'A' AND ZNAME < 'B' ORDER BY Z_PK
        """)
      contest.floor { _ in try plain.run() }
      contest.ours { _ in
        let context = people.context()
        return try context.performAndWait { try count(context, People.request(predicate)) }
      }
    }
  }
}
