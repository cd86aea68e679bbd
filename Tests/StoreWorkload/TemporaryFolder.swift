import Foundation

/// A new folder that is removed with its contents when the last reference is released.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("workload-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Removes the folder's contents.
  func empty() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      try FileManager.default.removeItem(at: file(name))
    }
  }

  /// Replaces the contents with copies of another folder's files.
  func fill(from other: TemporaryFolder) throws {
    try empty()
    for name in try FileManager.default.contentsOfDirectory(atPath: other.url.path) {
      try FileManager.default.copyItem(at: other.file(name), to: file(name))
    }
  }
}
