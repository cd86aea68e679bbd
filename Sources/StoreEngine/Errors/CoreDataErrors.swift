/// Creates Core Data errors, and recognizes them.
package enum CoreDataError {
  /// Returns whether an error means that the row of an object does not exist, as opposed to being unreadable.
  package static func isRowGone(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain
      && error.code == NSManagedObjectReferentialIntegrityError
  }

  /// Returns an error of `NSCocoaErrorDomain` whose description says what is wrong, and where.
  package static func make(
    _ code: Int, _ message: String, _ info: [String: Any] = [:], cause: (any Error)? = nil
  ) -> NSError {
    var info = info
    info[NSLocalizedDescriptionKey] = message
    // An `UnderlyingError` determines the user info, including the value of `NSUnderlyingErrorKey`.
    if let cause = cause as? any UnderlyingError {
      info.merge(cause.userInfo) { _, new in new }
    } else if let cause {
      info[NSUnderlyingErrorKey] = cause as NSError
    }
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
  }

  /// Returns an error about a file or folder, whose path is in the user info.
  package static func make(
    _ code: Int, _ message: String, at path: String, cause: (any Error)? = nil
  ) -> NSError {
    make(code, message, [NSFilePathErrorKey: path], cause: cause)
  }

  /// The error code of a save during another save of the same context. Apple's documentation has no name for it.
  package static let recursiveSave = 132_001

  /// Returns an error for a request that is invalid regardless of the data.
  package static func badRequest(_ message: String) -> NSError { make(NSCoreDataError, message) }

  /// Returns an error for a write to a store that is open for reading only. Apple's Core Data has the same error,
  /// with the reason "Unable to write to file opened Readonly".
  package static func readOnly(_ store: String, at url: URL?) -> NSError {
    make(
      NSFileWriteNoPermissionError, "\(store) is open for reading only",
      url.map { [NSFilePathErrorKey: $0.path] } ?? [:])
  }
}

/// An error of a lower layer that determines the user info of the Core Data error that wraps it.
package protocol UnderlyingError: Error {
  /// The user info of the wrapping error, such as the error as `NSError` under `NSUnderlyingErrorKey`.
  var userInfo: [String: Any] { get }
}
