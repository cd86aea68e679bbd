import ContactsSample
import CoreData
import Foundation

/// A folder for a test's stores, removed after the test.
final class TemporaryStore {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Returns a path in the folder.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Creates a sample store with this many rows, made by the tool with seed 1, and returns its
  /// path.
  func sample(rows: Int = 100) -> String {
    let path = path("Contacts.sqlite")
    _ = ToolRun.coredata("sample", path, "--rows", String(rows))
    return path
  }

  /// Makes a writable copy of a store and its log and returns its path.
  func copy(of source: URL) throws -> String {
    let target = folder.appendingPathComponent(source.lastPathComponent)
    let manager = FileManager.default
    for suffix in ["", "-wal"] where manager.fileExists(atPath: source.path + suffix) {
      try manager.copyItem(atPath: source.path + suffix, toPath: target.path + suffix)
      try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.path + suffix)
    }
    return target.path
  }
}
