import Foundation
import Testing

@testable import CoreData
@testable import CoreDataTool
@testable import SQLiteEngine
@testable import StoreInspection

struct WatchCommandTests {
  /// Creates a sample store of 20 rows with a journal mode, and returns its path.
  private func store(_ temporary: TemporaryStore, journal: String = "WAL") throws -> String {
    let path = temporary.sample(rows: 20)
    let sql = try PlainSQL(path)
    // The process that created the store may still be closing it. SQLite has no time-out for
    // changing the journal mode, so the test tries again.
    for attempt in 1... {
      do {
        _ = try sql.rows("PRAGMA journal_mode = \(journal)")
        break
      } catch {
        if attempt == 60_000 { throw error }
        usleep(10_000)
      }
    }
    return path
  }

  private func context(_ path: String) throws -> NSManagedObjectContext {
    let url = URL(fileURLWithPath: path)
    let model = try #require(try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test func `One process saves, and another prints each report as it arrives`() throws {
    let temporary = try TemporaryStore()
    let path = try store(temporary)
    let watch = try RunningTool([
      "watch", path, "Person", "--where", "age > 200", "--sort", "age", "--columns",
      "firstName,age", "--format", "json",
    ])
    #expect(watch.line() == #"{"@report":0,"@rows":0}"#)
    func change(_ arguments: String...) throws {
      let result = try RunningTool([arguments[0], path] + arguments.dropFirst() + ["--write"]).end()
      #expect(result.code == 0, "\(result.errors)")
    }
    try change("insert", "Person", "firstName=Ada", "lastName=L", "age=201")
    let inserted = watch.lines(through: "@rows")
    #expect(
      inserted == [
        #"{"@report":1,"@change":"insert","@to":[0,0],"firstName":"Ada","age":201}"#,
        #"{"@report":1,"@rows":1}"#,
      ])
    try change("insert", "Person", "firstName=Bob", "lastName=B", "age=202")
    #expect(
      watch.lines(through: "@rows").first?.contains(#""@to":[0,1],"firstName":"Bob""#) == true)
    try change("update", "Person", "firstName=Eve", "--where", "age == 202")
    #expect(
      watch.lines(through: "@rows") == [
        #"{"@report":3,"@change":"update","@from":[0,1],"@to":[0,1],"firstName":"Eve","age":202}"#,
        #"{"@report":3,"@rows":2}"#,
      ])
    try change("insert", "Person", "firstName=Cyd", "lastName=C", "age=204")
    #expect(watch.lines(through: "@rows").last == #"{"@report":4,"@rows":3}"#)
    try change("update", "Person", "age=205", "--where", "age == 201")
    #expect(
      watch.lines(through: "@rows") == [
        #"{"@report":5,"@change":"move","@from":[0,0],"@to":[0,2],"firstName":"Ada","age":205}"#,
        #"{"@report":5,"@rows":3}"#,
      ])
    try change("delete", "Person", "--where", "age == 202")
    let deleted = watch.lines(through: "@rows")
    #expect(
      deleted.first?.hasPrefix(
        #"{"@report":6,"@change":"delete","@from":[0,0],"objectID":"Person/p"#) == true)
    #expect(deleted.last == #"{"@report":6,"@rows":2}"#)
    watch.signal(SIGINT)
    let end = try watch.end()
    #expect(end.code == 0, "\(end.errors)")
    // Two processes write to one log. The warning is printed once, however often the condition
    // occurs.
    let lines = end.errors.split(separator: "\n")
    let warnings = lines.count { $0.contains("has a defect in write-ahead logs") }
    #expect(warnings == (SQLiteVersion.canLoseWALPages ? 1 : 0), "\(end.errors)")
    #expect(lines.count == 1 + warnings && lines.contains("model: the store's own copy"))
  }

  @Test func `The last saves of another process are in the file if the watch ends last`() throws {
    let temporary = try TemporaryStore()
    let path = try store(temporary)
    let watch = try RunningTool([
      "watch", path, "Person", "--where", "age > 200", "--columns", "age", "--format", "json",
    ])
    _ = watch.line()
    try RunningTool.run("insert", path, "Person", "firstName=A", "lastName=B", "age=201", "--write")
    _ = watch.lines(through: #""@rows":1"#)
    watch.signal(SIGINT)
    #expect(try watch.end().code == 0)
    // The user copies only the file.
    let copy = temporary.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    #expect(try PlainSQL(copy).rows("SELECT ZAGE FROM ZPERSON WHERE ZAGE > 200") == [["201"]])
  }

  @Test(.timeLimit(.minutes(60)), arguments: ["SIGHUP", "closed pipe", "link"])
  func `The last saves are in the file however a watch ends`(_ ending: String) throws {
    let temporary = try TemporaryStore()
    let path = try store(temporary)
    var name = path
    if ending == "link" {
      let folder = temporary.path("links")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      name = folder + "/L.sqlite"
      try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: path)
    }
    let watch = try RunningTool([
      "watch", name, "Person", "--where", "age > 200", "--columns", "age", "--format", "json",
    ])
    _ = watch.line()
    if ending == "closed pipe" { try watch.closeOutput() }
    try RunningTool.run("insert", path, "Person", "firstName=A", "lastName=B", "age=201", "--write")
    if ending == "closed pipe" {
      #expect(watch.endUnread() == 141)
    } else {
      _ = watch.lines(through: #""@rows":1"#)
      watch.signal(ending == "link" ? SIGINT : SIGHUP)
      #expect(try watch.end().code == 0)
    }
    let copy = temporary.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    #expect(try PlainSQL(copy).rows("SELECT ZAGE FROM ZPERSON WHERE ZAGE > 200") == [["201"]])
  }

  @Test(.timeLimit(.minutes(60)), arguments: [SIGINT, SIGTERM, SIGHUP])
  func `A signal ends a watch whose reader has stopped reading`(_ number: Int32) throws {
    let temporary = try TemporaryStore()
    // Far more rows than a pipe holds.
    let path = temporary.sample(rows: 10_000)
    let watch = try RunningTool(["watch", path, "Person", "--format", "json"])
    #expect(watch.line()?.hasPrefix(#"{"@report":0,"#) == true)
    try RunningTool.run("insert", path, "Person", "firstName=A", "lastName=B", "age=201", "--write")
    watch.signal(number)
    #expect(watch.endUnread() == 74)
    let copy = temporary.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    #expect(try PlainSQL(copy).rows("SELECT ZAGE FROM ZPERSON WHERE ZAGE > 200") == [["201"]])
  }

  @Test func `With --quote-formulas a spreadsheet runs no text of a watch`() throws {
    let temporary = try TemporaryStore()
    let path = try store(temporary)
    let watch = try RunningTool([
      "watch", path, "Person", "--where", "age > 200", "--section", "lastName", "--columns",
      "firstName", "--format", "csv", "--quote-formulas", "--reports", "1",
    ])
    #expect(watch.line() == "'@report,'@change,'@from,'@to,'@section,firstName")
    try RunningTool.run(
      "insert", path, "Person", "firstName=@SUM(A1)", "lastName=+b", "age=201", "--write")
    #expect(
      watch.lines(through: "1,insert,") == [
        "1,insert section,,0,'+b,", "1,insert,,0.0,'+b,'@SUM(A1)",
      ])
    #expect(try watch.end().code == 0)
    let run = ToolRun.coredata(
      "watch", path, "Person", "--where", "age > 200", "--section", "lastName", "--columns",
      "firstName", "--format", "csv", "--quote-formulas", "--reports", "0")
    #expect(
      run.output == "'@report,'@change,'@from,'@to,'@section,firstName\r\n0,,,,'+b,'@SUM(A1)\r\n")
  }

  @Test func `Reports distinguish a nil section from an empty-string section`() throws {
    let temporary = try TemporaryStore()
    let path = try store(temporary)
    let watch = try RunningTool([
      "watch", path, "Customer", "--where", "lastName BEGINSWITH 'x'", "--section", "state",
      "--sort", "state,lastName", "--columns", "lastName", "--format", "json", "--reports", "2",
    ])
    #expect(watch.line() == #"{"@report":0,"@rows":0}"#)
    try RunningTool.run("insert", path, "Customer", "lastName=x1", "state=nil", "--write")
    #expect(
      watch.lines(through: "@rows") == [
        #"{"@report":1,"@change":"insert section","@to":[0],"@section":null}"#,
        #"{"@report":1,"@change":"insert","@to":[0,0],"@section":null,"lastName":"x1"}"#,
        #"{"@report":1,"@rows":1}"#,
      ])
    try RunningTool.run("insert", path, "Customer", "lastName=x2", "state=", "--write")
    #expect(
      watch.lines(through: "@rows").first
        == #"{"@report":2,"@change":"insert","@to":[0,1],"@section":"","lastName":"x2"}"#)
    #expect(try watch.end().code == 0)
  }

  @Test func `A watch leaves an existing log unchanged if no process writes`() throws {
    let temporary = try TemporaryStore()
    let path = try store(temporary)
    let context = try context(path)
    // An open store keeps its log. A copy of both files is what a crash leaves behind.
    try context.performAndWait {
      context.automaticallyMergesChangesFromParent = false
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      person.setValue("A", forKey: "firstName")
      person.setValue("B", forKey: "lastName")
      try context.save()
    }
    let left = temporary.path("left.sqlite")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix)
    }
    let log = try Data(contentsOf: URL(fileURLWithPath: left + "-wal"))
    #expect(!log.isEmpty)
    #expect(try RunningTool.run("watch", left, "Person", "--reports", "0").code == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: left + "-wal")) == log)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func `Each commit of another process produces a report`(_ journal: String) throws {
    let temporary = try TemporaryStore()
    let path = try store(temporary, journal: journal)
    let watch = try RunningTool([
      "watch", path, "Person", "--where", "age > 200", "--columns", "age", "--format", "json",
      "--reports", "40",
    ])
    _ = watch.line()
    var times: [String: [Double]] = [:]
    func time(_ name: String, _ body: () throws -> Void) throws {
      try body()
      let start = DispatchTime.now().uptimeNanoseconds
      #expect(watch.lines(through: "@rows").count == 2)
      times[name, default: []].append(
        Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
    }
    // One writer keeps the file open, and the other opens and closes it for each commit.
    let kept = try context(path)
    for number in 0..<20 {
      try time("kept open") {
        try kept.performAndWait {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: kept)
          person.setValuesForKeys(["firstName": "a", "lastName": "b", "age": 201 + number])
          try kept.save()
        }
      }
    }
    for number in 0..<20 {
      try time("opened and closed") {
        let sql = try PlainSQL(path)
        _ = try sql.rows("PRAGMA busy_timeout = 5000")
        _ = try sql.rows(
          "UPDATE ZPERSON SET ZAGE = ZAGE + 1, Z_OPT = Z_OPT + 1 WHERE ZAGE = \(201 + number)"
            + " AND Z_PK = (SELECT MAX(Z_PK) FROM ZPERSON WHERE ZAGE = \(201 + number))")
      }
    }
    for (name, times) in times.sorted(by: { $0.key < $1.key }) {
      let sorted = times.sorted()
      print(
        "report after commit, \(journal), \(name): median \(sorted[10]) ms, 90 % \(sorted[18]) ms,"
          + " longest \(sorted[19]) ms")
    }
    #expect(try watch.end().code == 0)
  }

  @Test func `Sections and a limit are applied in a table and as CSV`() throws {
    let temporary = try TemporaryStore()
    let path = try store(temporary)
    let arguments = [
      "watch", path, "Person", "--where", "age > 200", "--section", "age", "--sort",
      "age,firstName", "--columns", "firstName", "--limit", "2",
    ]
    let watches = try ["csv", "table"].map { try RunningTool(arguments + ["--format", $0]) }
    #expect(watches[0].line() == "@report,@change,@from,@to,@section,firstName")
    #expect(watches[1].line() == "No rows")
    try RunningTool.run("insert", path, "Person", "firstName=B", "lastName=b", "age=202", "--write")
    #expect(
      watches[0].lines(through: "1,insert,") == ["1,insert section,,0,202,", "1,insert,,0.0,202,B"])
    #expect(
      watches[1].lines(through: "firstName") == [
        "", "report 1: 1 inserted · 1 row", "+ section 0 202", "+ 0.0  firstName=B",
      ])
    try RunningTool.run("insert", path, "Person", "firstName=C", "lastName=c", "age=203", "--write")
    _ = watches.map { $0.lines(through: "C") }
    try RunningTool.run("insert", path, "Person", "firstName=A", "lastName=a", "age=201", "--write")
    #expect(
      watches[0].lines(through: "A") == [
        "3,delete section,1,,203,", "3,insert section,,0,201,", "3,delete,1.0,,,",
        "3,insert,,0.0,201,A",
      ])
    #expect(
      watches[1].lines(through: "firstName").dropFirst().first
        == "report 3: 1 deleted, 1 inserted · 2 rows")
    for watch in watches {
      watch.signal(SIGTERM)
      #expect(try watch.end().code == 0)
    }
    // The watch leaves the store intact.
    let sql = try PlainSQL(path)
    #expect(try sql.rows("PRAGMA integrity_check") == [["ok"]])
  }

  @Test(arguments: ["moved", "replaced", "destroyed"])
  func `A lost store ends the watch with an error that states the cause`(_ what: String) throws {
    let temporary = try TemporaryStore()
    let path = try store(temporary)
    let watch = try RunningTool(["watch", path, "Person", "--format", "json", "--limit", "1"])
    _ = watch.lines(through: "@rows")
    switch what {
    case "moved": try FileManager.default.moveItem(atPath: path, toPath: path + "-before")
    case "replaced":
      let other = temporary.path("Other.sqlite")
      try RunningTool.run("sample", other, "--rows", "10")
      #expect(rename(other, path) == 0)
    default:
      try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        .destroyPersistentStore(
          at: URL(fileURLWithPath: path), ofType: NSSQLiteStoreType, options: nil)
    }
    let end = try watch.end()
    #expect(end.code == 65)
    let said =
      what == "moved"
      ? "was moved or deleted" : what == "replaced" ? "was replaced" : "was destroyed"
    #expect(end.errors.contains("error: the store"), "\(end.errors)")
    #expect(end.errors.contains(said), "\(end.errors)")
    #expect(!end.errors.contains("no such table"))
  }

  @Test func `With --reports 0 the watch prints the rows and ends`() throws {
    let temporary = try TemporaryStore()
    let path = temporary.sample()
    let options = [
      path, "Person", "--sort", "lastName", "--columns", "lastName,age", "--limit", "3",
    ]
    let watched = ToolRun.coredata(["watch"] + options + ["--reports", "0"])
    #expect(watched.code == 0)
    #expect(watched.output == ToolRun.coredata(["fetch"] + options).output)
    let lines = ToolRun.coredata(
      "watch", path, "Team", "--columns", "name", "--reports", "0", "--format", "json")
    #expect(lines.output.hasPrefix(#"{"@report":0,"name":""#))
    #expect(lines.output.hasSuffix("{\"@report\":0,\"@rows\":1}\n"))
  }

  @Test func `Errors are reported before the watch waits`() throws {
    let temporary = try TemporaryStore()
    let path = temporary.sample()
    let errors: [([String], String)] = [
      (["--limit", "0"], "--limit 0 is less than 1"),
      (["--reports", "-1"], "--reports -1 is negative"),
      (["--where", "aeg > 3"], "keypath aeg not found in entity Person"),
      (["--sort", "nothing"], "nothing"),
      (["--columns", "nothing"], "nothing"),
    ]
    for (arguments, text) in errors {
      let run = ToolRun.coredata(["watch", path, "Person"] + arguments)
      #expect(run.code == 64, "\(run)")
      #expect(run.errors.contains(text), "\(run)")
    }
    #expect(ToolRun.coredata("watch", path, "Nobody").code == 64)
    #expect(ToolRun.coredata("watch", temporary.path("none.sqlite"), "Person").code == 65)
  }
}
