import CSQLite
import FixtureSupport
import Foundation

@testable import ObjectModel

/// The models and stores of the fixtures, found by their file names.
enum FixtureModels {
  /// Returns the sorted paths of all files below a folder of the fixtures that meet a condition.
  static func paths(below folder: String, where condition: (String) -> Bool) -> [String] {
    let root = Fixtures.url(folder)
    guard let names = FileManager.default.enumerator(atPath: root.path) else { return [] }
    return names.compactMap { $0 as? String }.filter(condition).sorted().map { "\(folder)/\($0)" }
  }

  /// All versions of all source models.
  static var sources: [String] {
    paths(below: "models") { $0.hasSuffix(".xcdatamodel") }
  }

  /// All compiled models.
  static var compiled: [String] {
    paths(below: "compiled") { $0.hasSuffix(".mom") }
  }

  /// All stores, without their write-ahead logs.
  static var stores: [String] {
    paths(below: "stores") { path in
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      guard !name.hasPrefix("."), !name.hasSuffix("-wal"), !name.hasSuffix("-shm") else {
        return false
      }
      return ["sqlite", "moody", "graphdb"].contains { name.hasSuffix($0) }
        || name == "persistentStore"
    }
  }

  /// Returns, by each store's path, the first source model whose version hashes match those of the store.
  static func sourcesByStore() throws -> [String: String] {
    var result: [String: String] = [:]
    for row in try Fixtures.table("MATCH.tsv") {
      guard let store = row["store"], let models = row["models whose version hashes match"],
        models != "-"
      else { continue }
      result[store] = models.split(separator: ";").first.map(String.init)
    }
    return result
  }
}

/// The metadata and the model cache of a store, read from a copy of the store.
struct StoreFacts {
  var metadata: [String: Any] = [:]
  var modelCache: Data?

  init(_ path: String) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("object-model-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let copy = folder.appendingPathComponent("store")
    for suffix in ["", "-wal"] {
      let source = Fixtures.url(path + suffix)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      try FileManager.default.copyItem(
        at: source, to: URL(fileURLWithPath: copy.path + suffix))
    }
    if let plist = Self.blob("SELECT Z_PLIST FROM Z_METADATA", in: copy) {
      metadata =
        try PropertyListSerialization.propertyList(from: plist, format: nil) as? [String: Any]
        ?? [:]
    }
    modelCache = Self.blob("SELECT Z_CONTENT FROM Z_MODELCACHE", in: copy)
  }

  /// Returns the first column of a statement's first row, or nil if there is none or the table does
  /// not exist.
  private static func blob(_ sql: String, in url: URL) -> Data? {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(url.path, &database) == SQLITE_OK else { return nil }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW,
      let bytes = sqlite3_column_blob(statement, 0)
    else { return nil }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 0)))
  }

  /// The entity hashes in the store's metadata.
  var versionHashes: [String: Data] {
    metadata["NSStoreModelVersionHashes"] as? [String: Data] ?? [:]
  }
}
