import Foundation

/// The names and bytes of all files in a folder.
struct FolderContent: Hashable {
  private let files: [String: Data]

  init(_ folder: URL) throws {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let path = folder.appendingPathComponent(name).path
      // A folder has no contents of its own.
      files[name] = FileManager.default.contents(atPath: path) ?? Data()
    }
    self.files = files
  }

  // This is not synthesized, because `Data` hashes only its first bytes.
  func hash(into hasher: inout Hasher) {
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      hasher.combine(name)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }
}
