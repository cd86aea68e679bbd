import ArgumentParser
import CoreData
import FixtureSupport
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// Compares the tool with plain SQLite on every store written by Apple's Core Data.
struct FixtureFetchTests {
  private static let stores: [String] = {
    guard Fixtures.areAvailable else { return [] }
    let rows = (try? Fixtures.table("INDEX.tsv")) ?? []
    return rows.filter { $0["kind"] == "store" }.compactMap { $0["file"] }
  }()

  /// The number of the first rows of each entity.
  private static let limit = WholeRun.steps(50, whole: 400)

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: stores)
  func `A fetch of the first rows of every entity returns what SQL reads`(file: String) throws {
    let temporary = try TemporaryStore()
    let path = try temporary.copy(of: Fixtures.url(file))
    let url = URL(fileURLWithPath: path)
    let model =
      try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url)
      ?? NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
    let sql = try PlainSQL(path)
    let numbers = try sql.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY")
      .reduce(into: [String: String]()) { $0[$1[0] ?? ""] = $1[1] }
    // The store is opened once for all entities, because a store with hundreds of entities opens
    // slowly.
    let opened = try OpenedStore.open(path, model: nil, readOnly: true)
    defer { opened.close() }
    for entity in model.entities {
      let name = try #require(entity.name)
      var kinds: [String] = []
      var waiting = [entity]
      while let next = waiting.popLast() {
        // A migrated store keeps the former name of an entity.
        let names = [next.name, next.renamingIdentifier].compactMap { $0 }
        if let number = names.lazy.compactMap({ numbers[$0] }).first { kinds.append(number) }
        waiting += next.subentities
      }
      var root = entity
      while let above = root.superentity { root = above }
      let table = "\"Z\((root.name ?? "").uppercased())\""
      let columns = try sql.rows("SELECT name, type FROM pragma_table_info(\(quoted(table)))")
      let simple = columns.compactMap { column -> (key: String, column: String, type: String)? in
        guard let column0 = column[0], let type = column[1] else { return nil }
        let keys = entity.attributesByName.filter {
          !$0.value.isTransient && "Z" + $0.key.uppercased() == column0
            && ["Integer 16", "Integer 32", "Integer 64", "String", "Boolean", "UUID"]
              .contains($0.value.attributeType.modelFileName)
        }
        // An attribute name that occurs in two branches of a hierarchy has two columns.
        guard keys.count == 1, let key = keys.first?.key,
          !columns.contains(where: { $0[0] == column0 + "1" })
        else { return nil }
        return (key, column0, type)
      }
      let selection = ["Z_PK"] + simple.map { "\"\($0.column)\"" }
      let expected = try sql.rows(
        "SELECT \(selection.joined(separator: ", ")) FROM \(table)"
          + " WHERE Z_ENT IN (\(kinds.joined(separator: ", "))) ORDER BY Z_PK LIMIT \(Self.limit)")
      let command = try FetchCommand.parse([
        path, name, "--format", "json", "--sort", "objectID", "--limit", "\(Self.limit)",
      ])
      let run = try ToolRun.capturing {
        try command.show(try command.arguments.results(in: opened))
        return 0
      }
      let lines = run.output.split(separator: "\n")
      #expect(lines.count == expected.count, "\(file) \(name)")
      guard lines.count == expected.count else { continue }
      for (line, row) in zip(lines, expected) {
        let object = try #require(
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let id = object["objectID"] as? String ?? ""
        guard id.hasSuffix("/p\(row[0] ?? "")") else {
          Issue.record("\(file) \(name): \(id) is not p\(row[0] ?? "")")
          break
        }
        for (index, property) in simple.enumerated() {
          let type = entity.attributesByName[property.key]?.attributeType
          let wanted = expectedText(row[index + 1], type)
          let found = text(object[property.key])
          if found != wanted {
            Issue.record(
              "\(file) \(id).\(property.key): \(found ?? "nil") is not \(wanted ?? "nil")")
            return
          }
        }
      }
    }
  }

  private func quoted(_ table: String) -> String {
    "'" + table.replacing("\"", with: "") + "'"
  }

  private func expectedText(_ stored: String?, _ type: NSAttributeType?) -> String? {
    switch type {
    case .booleanAttributeType: stored.map { $0 == "0" ? "false" : "true" }
    case .UUIDAttributeType:
      stored.flatMap { Data(base64Encoded: $0) }.map { data in
        let digits = data.map { String(format: "%02X", $0) }.joined()
        return [8, 4, 4, 4, 12].reduce(into: (rest: digits[...], parts: [Substring]())) {
          $0.parts.append($0.rest.prefix($1))
          $0.rest = $0.rest.dropFirst($1)
        }.parts.joined(separator: "-")
      }
    default: stored
    }
  }

  private func text(_ value: Any?) -> String? {
    switch value {
    case let value as String: value
    case let value as NSNumber:
      CFBooleanText.text(of: value) ?? value.stringValue
    default: nil
    }
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: stores)
  func `Info counts the same number of rows as SQL`(file: String) throws {
    let temporary = try TemporaryStore()
    let path = try temporary.copy(of: Fixtures.url(file))
    let run = ToolRun.coredata("info", path, width: nil)
    try #require(run.code == 0, "\(file): \(run.errors)")
    #expect(run.output.contains("model      "))
    let sql = try PlainSQL(path)
    let tables = Set(
      try sql.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").compactMap { $0[0] })
    var total = 0
    for root in try sql.rows("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_SUPER = 0 AND Z_ENT < 16000")
    {
      let table = "Z" + (root[0] ?? "").uppercased()
      guard tables.contains(table) else { continue }
      total += Int(try sql.rows("SELECT COUNT(*) FROM \"\(table)\"")[0][0] ?? "") ?? 0
    }
    #expect(run.output.contains("\n\(CountText.rows(total)) in "), "\(file): \(total)")
  }
}

/// Distinguishes the booleans of JSON from its numbers.
private enum CFBooleanText {
  static func text(of number: NSNumber) -> String? {
    String(cString: number.objCType) == "c" ? (number.boolValue ? "true" : "false") : nil
  }
}
