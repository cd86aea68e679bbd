extension Diagnostic {
  /// Returns the error that there is no file at the path of a store.
  package static func noSuchFile(_ path: String) -> Diagnostic {
    Diagnostic(.data, "there is no file '\(path)'")
  }

  /// Returns the error that there is a folder at the path of a store.
  package static func isDirectory(_ path: String) -> Diagnostic {
    Diagnostic(.data, "'\(path)' is a folder, not a store")
  }

  /// Returns the error for a file that is not a store; `reason` says why it is not.
  package static func notAStore(_ path: String, reason: String) -> Diagnostic {
    Diagnostic(.data, "'\(path)' is not a Core Data store: \(reason)")
  }

  /// Returns the error for a store that SQLite or the library considers damaged.
  package static func damaged(_ path: String, reason: String) -> Diagnostic {
    Diagnostic(.data, "the store '\(path)' is damaged: \(reason)")
  }
}
