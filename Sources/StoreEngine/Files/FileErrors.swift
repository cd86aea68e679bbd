/// Errors of the system in Core Data's terms.
package enum FileErrors {
  /// What `errno` says of an operation on a file that failed just now.
  ///
  /// - Parameter action: what was tried, as a verb.
  package static func failure(_ action: String, _ path: String) -> NSError {
    let reason = errno
    let code =
      switch (reason, action) {
      case (ENOSPC, _), (EDQUOT, _): NSFileWriteOutOfSpaceError
      case (ENOENT, "read"): NSFileReadNoSuchFileError
      case (EACCES, "read"): NSFileReadNoPermissionError
      case (_, "read"): NSFileReadUnknownError
      default: NSFileWriteUnknownError
      }
    return CoreDataError.make(
      code, "cannot \(action) \(path): \(String(cString: strerror(reason)))", at: path)
  }
}
