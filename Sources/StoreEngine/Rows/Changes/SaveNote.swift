/// The author and context of a save, which a store records in its history.
package struct SaveNote: Sendable {
  package var author: String?
  package var contextName: String?

  package init(author: String? = nil, contextName: String? = nil) {
    self.author = author
    self.contextName = contextName
  }
}

extension SaveNote {
  /// The name of this process, which a store also records in its history.
  package static let processName = ProcessInfo.processInfo.processName
  package static let bundleID = Bundle.main.bundleIdentifier
}
