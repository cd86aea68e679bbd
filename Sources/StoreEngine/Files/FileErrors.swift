/// Creates Core Data errors from the system's error numbers.
package enum FileErrors {
  /// Returns an error for the operation on a file that has just set `errno`.
  ///
  /// - Parameter action: The operation, as a verb.
  package static func failure(_ action: String, _ path: String) -> NSError {
    // Read `errno` first, because later calls may change it.
    let reason = errno
    let code =
      switch (reason, action) {
      case (ENOSPC, _), (EDQUOT, _): NSFileWriteOutOfSpaceError
      case (ENOENT, "read"): NSFileReadNoSuchFileError
      case (EACCES, "read"): NSFileReadNoPermissionError
      case (_, "read"): NSFileReadUnknownError
      case (EACCES, _), (EPERM, _): NSFileWriteNoPermissionError
      case (EROFS, _): NSFileWriteVolumeReadOnlyError
      default: NSFileWriteUnknownError
      }
    return CoreDataError.make(
      code, "cannot \(action) \(path): \(String(cString: strerror(reason)))", at: path)
  }
}
