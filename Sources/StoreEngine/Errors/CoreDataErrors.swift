/// Makes the errors that this module throws.
package enum CoreDataError {
  /// Whether an error says that an object's row is not there, as opposed to that it cannot be read.
  package static func isRowGone(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain
      && error.code == NSManagedObjectReferentialIntegrityError
  }

  /// An error of `NSCocoaErrorDomain` whose description says what is wrong, and with what.
  package static func make(
    _ code: Int, _ message: String, _ info: [String: Any] = [:], cause: (any Error)? = nil
  ) -> NSError {
    var info = info
    info[NSLocalizedDescriptionKey] = message
    if let cause = cause as? any UnderlyingError {
      info.merge(cause.userInfo) { _, new in new }
    } else if let cause {
      info[NSUnderlyingErrorKey] = cause as NSError
    }
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
  }

  /// The same about a file or folder, whose path the error has.
  package static func make(
    _ code: Int, _ message: String, at path: String, cause: (any Error)? = nil
  ) -> NSError {
    make(code, message, [NSFilePathErrorKey: path], cause: cause)
  }

  /// A save inside a save of the same context. Apple's documentation has no name for the code.
  package static let recursiveSave = 132_001

  /// A request that cannot be run as it stands: a mistake in it, not in the data.
  package static func badRequest(_ message: String) -> NSError { make(NSCoreDataError, message) }

  /// A store that was to be written and is open for reading only: the error of Apple's Core Data, whose reason is
  /// "Unable to write to file opened Readonly".
  package static func readOnly(_ store: String, at url: URL?) -> NSError {
    make(
      NSFileWriteNoPermissionError, "\(store) is open for reading only",
      url.map { [NSFilePathErrorKey: $0.path] } ?? [:])
  }
}

/// An error of something below, which says by itself what an error of Core Data carries of it.
package protocol UnderlyingError: Error {
  /// What goes into the user info: the error as `NSError` under `NSUnderlyingErrorKey`, and the like.
  var userInfo: [String: Any] { get }
}
