package import Foundation
import ObjectModel

/// Makes the errors that this module throws.
package enum CoreDataError {
  /// Whether an error says that an object's row is not there, as opposed to that it cannot be read.
  static func isRowGone(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain
      && error.code == NSManagedObjectReferentialIntegrityError
  }

  /// An error of `NSCocoaErrorDomain` whose description says what is wrong, and with what.
  static func make(
    _ code: Int, _ message: String, _ info: [String: Any] = [:], cause: (any Error)? = nil
  ) -> NSError {
    var info = info
    info[NSLocalizedDescriptionKey] = message
    if let cause = cause as? SQLiteError {
      info[NSUnderlyingErrorKey] = cause.nsError
      info[NSSQLiteErrorDomain] = Int(cause.code)
    } else if let cause {
      info[NSUnderlyingErrorKey] = cause as NSError
    }
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
  }

  /// A save inside a save of the same context. Apple's documentation has no name for the code.
  static let recursiveSave = 132_001

  /// A request that cannot be run as it stands: a mistake in it, not in the data.
  package static func badRequest(_ message: String) -> NSError { make(NSCoreDataError, message) }

  /// A store that was to be written and is open for reading only: the error of Apple's Core Data, whose reason is
  /// "Unable to write to file opened Readonly".
  static func readOnly(_ store: String, at url: URL?) -> NSError {
    make(
      NSFileWriteNoPermissionError, "\(store) is open for reading only",
      url.map { [NSFilePathErrorKey: $0.path] } ?? [:])
  }

  /// A key that the entity does not have, with the key that was probably meant.
  static func unknownKey(_ key: String, in layout: EntityLayout) -> NSError {
    let suggestion = NearestName.nearest(to: key, among: layout.slots.map(\.name))
    return badRequest(
      "keypath \(key) not found in entity \(layout.name)"
        + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? ""))
  }

  /// An entity that the model does not have, with the one that was probably meant.
  ///
  /// For a model with errors, which has no entities in use, those errors.
  static func unknownEntity(_ name: String, in model: ModelLayout) -> NSError {
    if let fault = model.fault { return fault }
    let suggestion = NearestName.nearest(to: name, among: model.entities.map(\.name))
    return badRequest(
      "the model has no entity named \"\(name)\""
        + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? ""))
  }
}
