import Foundation

/// Who saves, as a store keeps it beside what was saved.
struct SaveNote: Sendable {
  var author: String?
  var contextName: String?
}

extension SaveNote {
  /// The name of the program's process, not its number.
  static let processName = ProcessInfo.processInfo.processName
  static let bundleID = Bundle.main.bundleIdentifier
}
