import Foundation

/// A new folder that is removed with its contents when the last reference is released.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("stores-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// The names, bytes and modification dates of everything in the folder.
  func state() throws -> [String: FileState] {
    var state: [String: FileState] = [:]
    let manager = FileManager.default
    for name in try manager.subpathsOfDirectory(atPath: url.path) {
      let path = file(name).path
      let attributes = try manager.attributesOfItem(atPath: path)
      state[name] = FileState(
        bytes: attributes[.type] as? FileAttributeType == .typeDirectory
          ? nil : try Data(contentsOf: file(name)),
        modified: attributes[.modificationDate] as? Date)
    }
    return state
  }
}

/// The state of a file at one moment.
struct FileState: Equatable {
  let bytes: Data?
  let modified: Date?
}
