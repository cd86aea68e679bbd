import CoreData
import PlainSQLite

/// Measures parsing a predicate, beside preparing a SQLite statement with the same condition.
enum ParsingBenchmark {
  private static let texts: [(name: String, text: String, sql: String)] = [
    ("one comparison", "age > 30", "age > 30"),
    (
      "two comparisons", "age > 30 AND name BEGINSWITH 'A'",
      "age > 30 AND name >= 'A' AND name < 'B'"
    ),
    (
      "four comparisons",
      "age > 30 AND name BEGINSWITH 'A' AND (team IN {'Red', 'Blue'} OR score <= 2.5)",
      "age > 30 AND name >= 'A' AND name < 'B' AND (team IN ('Red', 'Blue') OR score <= 2.5)"
    ),
  ]

  static var comparisons: [Comparison] {
    texts.map { name, text, sql in
      let count = Scale.current.predicates
      return Comparison(
        name: "parsing a predicate of \(name)", items: count, floor: "SQLite, preparing"
      ) { contest in
        var database: OpaquePointer?
        sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE, nil)
        sqlite3_exec(database, "CREATE TABLE person (age, name, team, score)", nil, nil, nil)
        contest.floor { [database] _ in
          var made = 0
          for _ in 0..<count {
            var statement: OpaquePointer?
            sqlite3_prepare_v2(
              database, "SELECT 1 FROM person WHERE \(sql)", -1, &statement, nil)
            made += statement == nil ? 0 : 1
            sqlite3_finalize(statement)
          }
          return made
        }
        let nothing = NSPredicate(value: true)
        contest.ours { _ in
          var made = 0
          for _ in 0..<count {
            made += try NSPredicate(validating: text) === nothing ? 0 : 1
          }
          return made
        }
      }
    }
  }
}
