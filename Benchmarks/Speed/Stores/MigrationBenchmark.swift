import CoreData
import Foundation
import PlainSQLite

/// Measures a lightweight migration that adds two attributes, one with a default, and renames a third, and compares it
/// with the statements that do the same.
///
/// Both clocks are used, because without a default no row is written, and most elapsed time is waiting for the
/// disk.
enum MigrationBenchmark {
  static var comparisons: [Comparison] {
    comparisons("two attributes more", .processor) + comparisons("elapsed", .wall)
  }

  private static func comparisons(_ what: String, _ clock: Lap.Clock) -> [Comparison] {
    [("with a default", 7), ("without a default", nil)].map { title, value in
      let rows = Scale.current.rows
      return Comparison(
        name: "migrating \(rows) rows, \(what), \(title)", items: rows, floor: "SQL",
        bar: clock == .processor && value == nil ? nil : 1.5, clock: clock
      ) { contest in
        let store = try StoreFolder()
        try store.insertReadings(rows)
        for open in store.coordinator.persistentStores { try store.coordinator.remove(open) }
        func onCopy(_ change: @escaping (URL, Int?) throws -> Void) -> Contest.Body {
          { lap in
            let url = store.file("copy.sqlite")
            try FileManager.default.copyItem(at: store.url, to: url)
            defer { try? FileManager.default.removeItem(at: url) }
            try lap.measured { try change(url, value) }
            return 0
          }
        }
        contest.ours(onCopy(open))
        contest.floor(onCopy(alter))
      }
    }
  }

  private static func open(_ url: URL, _ defaultValue: Int?) throws {
    let model = StoreModels.make()
    let reading = model.entitiesByName["Reading"]
    for name in ["added", "marked"] {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .integer64AttributeType
      if name == "added" { attribute.defaultValue = defaultValue.map { NSNumber(value: $0) } }
      reading?.properties.append(attribute)
    }
    reading?.attributesByName["n9"]?.renamingIdentifier = "n9"
    reading?.attributesByName["n9"]?.name = "last"
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
      ])
    try coordinator.remove(store)
  }

  private static func alter(_ url: URL, _ defaultValue: Int?) throws {
    var database: OpaquePointer?
    guard sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw PlainStatement.Failure(description: String(cString: sqlite3_errmsg(database)))
    }
    defer { sqlite3_close_v2(database) }
    let fill = defaultValue.map { "UPDATE ZREADING SET ZADDED = \($0);" } ?? ""
    let sql =
      "BEGIN IMMEDIATE; ALTER TABLE ZREADING RENAME COLUMN ZN9 TO ZLAST;"
      + " ALTER TABLE ZREADING ADD COLUMN ZADDED INTEGER;"
      + " ALTER TABLE ZREADING ADD COLUMN ZMARKED INTEGER; \(fill) COMMIT"
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw PlainStatement.Failure(description: String(cString: sqlite3_errmsg(database)))
    }
  }
}
