public import Foundation

/// The stores, models and tables that Apple's tools wrote, which tests read in place.
///
/// They are not part of the repository. They are expected at `$OPENCOREDATA_FIXTURES`, or else at
/// `../shared/fixtures` beside the repository. A test that needs them has the trait
/// `.enabled(if: Fixtures.areAvailable, "no fixtures")`, and is skipped where they are absent. `scripts/fixtures` gets
/// them, and `scripts/test` counts the tests that were skipped for this reason.
public enum Fixtures {
  /// The folder of the fixtures, whether or not it exists.
  public static let root: URL = {
    if let path = ProcessInfo.processInfo.environment["OPENCOREDATA_FIXTURES"] {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    let repository = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return repository.deletingLastPathComponent()
      .appendingPathComponent("shared/fixtures", isDirectory: true)
  }()

  /// Whether the fixtures can be read on this machine.
  public static var areAvailable: Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent("INDEX.tsv").path)
  }

  /// Returns whether the fixtures include a file, by its path below the root.
  ///
  /// Tests check it for the few files that have no public address.
  public static func include(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: url(path).path)
  }

  /// Returns the URL of a fixture by its path below the root.
  public static func url(_ path: String) -> URL {
    root.appendingPathComponent(path)
  }

  /// Returns the rows of a tab-separated fixture table, each keyed by the names in the header.
  public static func table(_ path: String) throws -> [[String: String]] {
    let text = try String(contentsOf: url(path), encoding: .utf8)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    guard !lines.isEmpty else { return [] }
    let header = lines.removeFirst().split(separator: "\t", omittingEmptySubsequences: false)
    return lines.map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      return Dictionary(
        uniqueKeysWithValues: zip(header, fields).map { (String($0), String($1)) })
    }
  }
}
