import CoreData

/// Files and folders of another program. Links beside a store lead to them, and no use of the store
/// may change them.
final class OutsideFiles: Sendable {
  let url: URL
  private let before: [String: String]

  /// Creates the files, with old dates and with names like those of a store's own files.
  init(in url: URL) throws {
    self.url = url
    let manager = FileManager.default
    for folder in ["", "_EXTERNAL_DATA", Self.uuid(1), "_EXTERNAL_DATA/" + Self.uuid(2)] {
      try manager.createDirectory(
        at: url.appendingPathComponent(folder), withIntermediateDirectories: true)
      for name in ["letter.txt", Self.uuid(3), Self.uuid(4) + ".new", "draft.sqlite"] {
        let file = url.appendingPathComponent(folder).appendingPathComponent(name)
        try Data("kept \(folder) \(name)".utf8).write(to: file)
        try manager.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_500_000_000)], ofItemAtPath: file.path)
      }
    }
    before = try Self.state(of: url)
  }

  /// Returns a UUID that is always the same for a number, so that the damaged stores of the fuzz test are reproducible.
  static func uuid(_ number: Int) -> String {
    "00000000-0000-4000-8000-" + String(repeating: "0", count: 11) + "\(number)"
  }

  func requireUnchanged() throws {
    let after = try Self.state(of: url)
    let names = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
    if names.isEmpty { return }
    let changes = names.map {
      "outside/\($0) was \(before[$0] ?? "not there"), and is \(after[$0] ?? "gone")"
    }
    throw Lost(changes.joined(separator: "; "))
  }

  private static func state(of url: URL) throws -> [String: String] {
    var state: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: url.path) + ["."] {
      let path = url.path + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      let content =
        status.st_mode & S_IFMT == S_IFREG
        ? String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self) : ""
      state[name] =
        "\(status.st_ino) \(status.st_mode) \(status.st_nlink) \(status.st_mtim.tv_sec)"
        + ".\(status.st_mtim.tv_nsec) \(content)"
    }
    return state
  }
}
