import CoreData
import FixtureSupport

/// A way to damage a store.
struct FuzzMutation: Sendable {
  let name: String
  let change: @Sendable (URL, inout SeededGenerator) throws -> Void

  /// Damages the store and returns the name of the mutation. A statement that SQLite rejects ends the mutation.
  func apply(_ url: URL, _ random: inout SeededGenerator) throws -> String {
    do { try change(url, &random) } catch is Lost {}
    return name
  }

  static let all: [FuzzMutation] = [
    bytes, headers, pages, length, cells, cells, entities, schema, schema, metadata, nested, model,
    archive, beside, keys, files,
  ]

  private static func edit(
    _ url: URL, _ body: (inout [UInt8]) throws -> Void
  ) throws {
    var bytes = [UInt8](try Data(contentsOf: url))
    if bytes.count < 1024 { return }
    try body(&bytes)
    try Data(bytes).write(to: url)
  }

  /// Changes bytes anywhere.
  private static let bytes = FuzzMutation(name: "bytes") { url, random in
    try edit(url) { bytes in
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
    }
  }

  /// Changes bytes in the headers and cell pointers of some pages.
  private static let headers = FuzzMutation(name: "headers") { url, random in
    try edit(url) { bytes in
      let size = max(512, Int(bytes[16]) << 8 | Int(bytes[17]))
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let page = Int.random(in: 0..<max(1, bytes.count / size), using: &random)
        let place = page * size + (page == 0 ? 100 : 0) + Int.random(in: 0..<40, using: &random)
        if place < bytes.count {
          bytes[place] = [0, 1, 2, 5, 10, 13, 127, 255].randomElement(using: &random) ?? 0
        }
      }
    }
  }

  /// Replaces a page with another one.
  private static let pages = FuzzMutation(name: "pages") { url, random in
    try edit(url) { bytes in
      let size = max(512, Int(bytes[16]) << 8 | Int(bytes[17]))
      let count = bytes.count / size
      guard count > 1 else { return }
      let from = Int.random(in: 0..<count, using: &random) * size
      let to = Int.random(in: 0..<count, using: &random) * size
      bytes.replaceSubrange(to..<to + size, with: Array(bytes[from..<from + size]))
    }
  }

  private static let length = FuzzMutation(name: "length") { url, random in
    try edit(url) { bytes in
      if Bool.random(using: &random) {
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
      } else {
        bytes += (0..<Int.random(in: 1...9000, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      }
    }
  }

  private static func value(_ random: inout SeededGenerator) -> String {
    let numbers = [
      "NULL", "0", "-1", "9223372036854775807", "-9223372036854775808", "1e308", "-1e308", "9e999",
      "1.5", "2147483648", "70000", "'text'", "''", "x''", "x'01'", "x'02'", "zeroblob(38)",
      "zeroblob(300000)", "x'62706c6973743030'", "printf('%.*c', 100000, 'x')",
      "CAST(x'ff00fe' AS TEXT)", "x'000102030405060708090a0b0c0d0e0f'",
      "'9.99999999999999999999999999e200'",
      "x'0230303030303030302d303030302d303030302d303030302d30303030303030303030303000'",
    ]
    return numbers.randomElement(using: &random) ?? "NULL"
  }

  /// Stores values of types that do not fit the column.
  private static let cells = FuzzMutation(name: "cells") { url, random in
    let plain = try PlainSQL(url)
    let tables = try plain.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '[ZA]*'")
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      guard let table = tables.randomElement(using: &random) else { return }
      let columns = try plain.texts("SELECT name FROM pragma_table_info('\(table)')")
      guard let column = columns.randomElement(using: &random) else { continue }
      let isAll = Bool.random(using: &random)
      let limit = isAll ? "" : " WHERE rowid % 3 = \(Int.random(in: 0...2, using: &random))"
      let text = value(&random)
      try? plain.run("UPDATE OR IGNORE \"\(table)\" SET \"\(column)\" = \(text)\(limit)")
    }
  }

  /// Changes entities and their numbers.
  private static let entities = FuzzMutation(name: "entities") { url, random in
    let plain = try PlainSQL(url)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let change = [
        "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT", "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT % 2 = 0",
        "UPDATE Z_PRIMARYKEY SET Z_SUPER = (SELECT MAX(Z_ENT) FROM Z_PRIMARYKEY)",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = -5", "UPDATE Z_PRIMARYKEY SET Z_NAME = NULL",
        "UPDATE Z_PRIMARYKEY SET Z_NAME = 'x'", "UPDATE Z_PRIMARYKEY SET Z_MAX = 'many'",
        "UPDATE Z_PRIMARYKEY SET Z_ENT = -Z_ENT", "UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT * 100000",
        "UPDATE Z_PRIMARYKEY SET Z_SUPER = \(Int.random(in: -2...9, using: &random))",
      ].randomElement(using: &random)
      if let change { try? plain.run(change) }
    }
  }

  /// Changes the statements in the schema.
  private static let schema = FuzzMutation(name: "schema") { url, random in
    let plain = try PlainSQL(url)
    let names = try plain.texts("SELECT name FROM sqlite_schema WHERE sql NOT NULL")
    guard let name = names.randomElement(using: &random) else { return }
    let more = [
      "CREATE TRIGGER strange AFTER UPDATE ON \(name) BEGIN DELETE FROM \(name); END",
      "CREATE TRIGGER strange AFTER INSERT ON \(name) BEGIN INSERT INTO \(name) DEFAULT VALUES; END",
      "CREATE TRIGGER strange AFTER UPDATE ON Z_PRIMARYKEY BEGIN WITH RECURSIVE c(x) AS (SELECT 1"
        + " UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c; END",
      "ALTER TABLE \(name) RENAME TO hidden; CREATE VIEW \(name) AS SELECT * FROM hidden",
      "ALTER TABLE \(name) ADD COLUMN more AS (hex(zeroblob(400000000)))",
      "DROP TABLE \(name); CREATE VIRTUAL TABLE \(name) USING fts5(Z_PK, Z_ENT, Z_OPT)",
      "CREATE VIEW other AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
        + " SELECT x FROM c",
      "CREATE UNIQUE INDEX strange ON \(name) (Z_ENT)",
    ]
    if Bool.random(using: &random), let change = more.randomElement(using: &random) {
      return try plain.run(change)
    }
    guard let sql = try plain.texts("SELECT sql FROM sqlite_schema WHERE name = '\(name)'").first
    else { return }
    var text = Array(sql)
    for _ in 0..<Int.random(in: 1...3, using: &random) where text.count > 12 {
      let place = Int.random(in: 8..<text.count, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0: text.remove(at: place)
      case 1: text[place] = "ZX_ ,()0'".randomElement(using: &random) ?? "Z"
      case 2: text.insert(contentsOf: " CHECK (length(hex(zeroblob(9999))) > 1) ", at: place)
      default: text.replaceSubrange(place..<text.count, with: Array(")"))
      }
    }
    let changed = String(text).replacingOccurrences(of: "'", with: "''")
    try plain.run(
      "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = '\(changed)' WHERE name ="
        + " '\(name)'")
  }

  private static func damaged(_ data: Data, _ random: inout SeededGenerator) -> Data {
    var bytes = [UInt8](data)
    if bytes.isEmpty { return data }
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
    }
    if Int.random(in: 0...3, using: &random) == 0 {
      bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
    }
    return Data(bytes)
  }

  private static let metadata = FuzzMutation(name: "metadata") { url, random in
    let plain = try PlainSQL(url)
    let list = try plain.bytes("SELECT Z_PLIST FROM Z_METADATA") ?? Data()
    try plain.run("UPDATE Z_METADATA SET Z_PLIST = ?", binding: damaged(list, &random))
  }

  /// Writes deeply nested and large property lists.
  private static let nested = FuzzMutation(name: "nested") { url, random in
    let depth = [10, 1000, 100_000].randomElement(using: &random) ?? 10
    let (open, close) =
      ([("<array>", "</array>"), ("<dict><key>a</key>", "</dict>")] as [(String, String)])
      .randomElement(using: &random) ?? ("", "")
    let text =
      "<?xml version=\"1.0\"?><plist version=\"1.0\">"
      + String(repeating: open, count: depth) + String(repeating: close, count: depth) + "</plist>"
    let table =
      Bool.random(using: &random) ? "Z_METADATA SET Z_PLIST" : "Z_MODELCACHE SET Z_CONTENT"
    try PlainSQL(url).run("UPDATE \(table) = ?", binding: Data(text.utf8))
  }

  /// Changes the store's copy of its model, compressed and uncompressed.
  private static let model = FuzzMutation(name: "model") { url, random in
    let plain = try PlainSQL(url)
    guard let cache = try plain.bytes("SELECT Z_CONTENT FROM Z_MODELCACHE") else { return }
    var changed = damaged(cache, &random)
    if Int.random(in: 0...4, using: &random) > 0, let list = Compression.unpacked(cache) {
      changed = Compression.packed(damaged(list, &random))
    }
    try plain.run("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", binding: changed)
  }

  /// Replaces the values of each BLOB column with a damaged copy of one that is long enough to be an archive of a
  /// transformable value.
  private static let archive = FuzzMutation(name: "archive") { url, random in
    let plain = try PlainSQL(url)
    let columns = try plain.texts(
      "SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND m.name GLOB 'Z[A-Z]*' AND c.type = 'BLOB'")
    for place in columns {
      let names = place.split(separator: ".")
      guard names.count == 2 else { continue }
      let (table, column) = (names[0], names[1])
      let data = try? plain.bytes("SELECT \(column) FROM \(table) WHERE LENGTH(\(column)) > 40")
      guard let data else { continue }
      try? plain.run("UPDATE \(table) SET \(column) = ?", binding: damaged(data, &random))
    }
  }

  /// Writes impossible keys to rows and to references.
  private static let keys = FuzzMutation(name: "keys") { url, random in
    let plain = try PlainSQL(url)
    let columns = try plain.texts(
      "SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND (m.name GLOB 'Z*' OR m.name = 'ACHANGE')"
        + " AND (c.name IN ('Z_PK', 'Z_ENT', 'Z_OPT', 'ZENTITYPK', 'ZENTITY') OR c.name GLOB 'Z_[0-9]*'"
        + " OR c.pk = 0 AND c.type = 'INTEGER') ORDER BY m.name, c.cid")
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard let column = columns.randomElement(using: &random) else { return }
      let names = column.split(separator: ".")
      let key =
        [0, 0, 0, -1, -2, -7, 1, 2, 3, 99, Int.max, Int.min].randomElement(using: &random) ?? 0
      let row = Int.random(in: 0...3, using: &random)
      try? plain.run(
        "UPDATE OR IGNORE \"\(names[0])\" SET \"\(names[1])\" = \(key) WHERE rowid % 4 = \(row)")
    }
  }

  /// Changes the files of external values.
  private static let files = FuzzMutation(name: "files") { url, random in
    let folder = url.deletingLastPathComponent()
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.contains("_EXTERNAL_DATA/") }.sorted()
    // Without external files, it changes the cells instead.
    if paths.isEmpty { return try cells.change(url, &random) }
    for path in paths {
      let file = folder.appendingPathComponent(path)
      switch Int.random(in: 0...4, using: &random) {
      case 0: try FileManager.default.removeItem(at: file)
      case 1: try Data().write(to: file)
      case 2:
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(
          atPath: file.path, withDestinationPath: "/dev/zero")
      case 3:
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      default: try damaged(try Data(contentsOf: file), &random).write(to: file)
      }
    }
  }

  /// Writes files beside the store.
  private static let beside = FuzzMutation(name: "beside") { url, random in
    for suffix in ["-wal", "-journal", "-shm"] where Bool.random(using: &random) {
      var bytes = (0..<Int.random(in: 1...40_000, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      // The first fields of a valid header. SQLite nevertheless ignores a log, because its random checksum is wrong.
      let head: [UInt8] =
        suffix == "-journal"
        ? [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 3]
        : [0x37, 0x7f, 0x06, 0x82, 0, 0x2d, 0xe2, 0x18, 0, 0, 0x10, 0]
      if suffix != "-shm", bytes.count > 40 { bytes.replaceSubrange(0..<head.count, with: head) }
      try Data(bytes).write(to: URL(fileURLWithPath: url.path + suffix))
    }
    // Puts the database into WAL mode (sqlite.org/fileformat2.html, "File format version numbers").
    if Bool.random(using: &random) {
      try edit(url) { $0.replaceSubrange(18...19, with: [2, 2]) }
    }
  }
}
