extension Diagnostic {
  /// Returns the error for a store's path at which there is no file.
  package static func noSuchFile(_ path: String) -> Diagnostic {
    Diagnostic(.data, "there is no file '\(path)'")
  }

  /// Returns the error for a store's path at which there is a folder.
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
