extension Diagnostic {
  /// No file where a store was said to be.
  package static func noSuchFile(_ path: String) -> Diagnostic {
    Diagnostic(.data, "there is no file '\(path)'")
  }

  /// A folder where a store was said to be.
  package static func isDirectory(_ path: String) -> Diagnostic {
    Diagnostic(.data, "'\(path)' is a folder, not a store")
  }

  /// A file that is not a store; `reason` says by what that shows.
  package static func notAStore(_ path: String, reason: String) -> Diagnostic {
    Diagnostic(.data, "'\(path)' is not a Core Data store: \(reason)")
  }

  /// A store that SQLite or the library finds damaged.
  package static func damaged(_ path: String, reason: String) -> Diagnostic {
    Diagnostic(.data, "the store '\(path)' is damaged: \(reason)")
  }
}
