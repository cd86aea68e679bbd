/// Makes the errors of migrations.
enum MigrationErrors {
  /// Returns an error for an entity mapping that failed, or `cause` itself if the program threw it.
  static func mapping(
    _ mapping: NSEntityMapping, _ reason: String, cause: (any Error)? = nil
  ) -> any Error {
    if let cause, isProgramError(cause) { return cause }
    return CoreDataError.make(
      NSMigrationError, "mapping \(mapping.name ?? ""): \(reason)", cause: cause)
  }

  static func property(
    _ mapping: NSEntityMapping, _ property: NSPropertyMapping, _ cause: any Error
  ) -> any Error {
    if isProgramError(cause) { return cause }
    let reason = (cause as? MigrationFailure)?.reason ?? text(of: cause)
    return CoreDataError.make(
      NSMigrationError, "mapping \(mapping.name ?? ""), property \(property.name ?? ""): \(reason)",
      cause: cause)
  }

  static func unknownFunction(_ selector: String, of object: AnyObject) -> NSError {
    CoreDataError.make(
      NSMigrationError,
      "\(type(of: object)) does not implement the function \(selector); override"
        + " value(forFunction:arguments:)")
  }

  /// Returns an error for a mapping that cannot be inferred. Its detailed errors are the obstacles, each with a
  /// recovery suggestion.
  static func notInferred(
    _ subject: String, _ obstacles: [ModelComparison.Obstacle], _ info: [String: Any] = [:]
  ) -> NSError {
    var info = info
    info[NSDetailedErrorsKey] = obstacles.map {
      CoreDataError.make(
        NSInferredMappingModelError, $0.text, [NSLocalizedRecoverySuggestionErrorKey: $0.advice])
    }
    return CoreDataError.make(
      NSInferredMappingModelError,
      "\(subject): \(obstacles.map(\.text).joined(separator: "; "))", info)
  }

  /// Returns an error for entities that are in both models and have rows, but no entity mapping.
  static func leftOut(_ rows: [(entity: String, count: Int)], _ url: URL) -> NSError {
    let list = rows.map { "\($0.entity) (\(MessageText.rows($0.count)))" }.joined(separator: ", ")
    return CoreDataError.make(
      NSMigrationError,
      "the mapping model has no entity mapping for \(list), which both models contain: the migrated store would lack"
        + " these rows of \(url.path)",
      [
        NSFilePathErrorKey: url.path,
        NSLocalizedRecoverySuggestionErrorKey:
          "add mappings for them; to remove the rows, add a mapping of the type remove",
      ])
  }

  static var cancelled: NSError {
    CoreDataError.make(NSMigrationCancelledError, "The migration was cancelled.")
  }

  static func source(_ url: URL, _ cause: any Error) -> any Error {
    store(NSMigrationManagerSourceStoreError, "the store \(url.path) cannot be read", url, cause)
  }

  static func destination(_ url: URL, _ cause: any Error) -> any Error {
    store(
      NSMigrationManagerDestinationStoreError, "the store \(url.path) cannot be written", url, cause
    )
  }

  /// Returns whether the program threw an error where the library calls its code: in a policy, a function of an
  /// expression, or a validation. The library does not wrap such errors.
  static func isProgramError(_ error: any Error) -> Bool {
    switch error {
    case is MigrationFailure, is any UnderlyingError, is InvalidPredicateError: false
    default:
      // The program may throw errors of these domains too, but they cannot be distinguished from the library's.
      ![NSCocoaErrorDomain, NSPOSIXErrorDomain, NSSQLiteErrorDomain].contains(
        (error as NSError).domain)
    }
  }

  /// Returns an error for a step that failed after earlier steps were completed. An error that the program threw
  /// stays unchanged.
  static func step(_ number: Int, of count: Int, _ url: URL, _ cause: any Error) -> any Error {
    if isProgramError(cause) {
      Log.storeNotice(
        "step \(number) of \(count) failed; the store \(url.path) now has the model before that step"
      )
      return cause
    }
    let error = cause as NSError
    return CoreDataError.make(
      code(of: error),
      "step \(number) of \(count) failed; the store now has the model before that step:"
        + " \(text(of: cause))", error.userInfo.merging([NSFilePathErrorKey: url.path]) { $1 },
      cause: cause)
  }

  /// Returns an error for a step that would fail. No step was executed yet. The cause stays unchanged if there is only
  /// one step, or if the program threw it.
  static func planned(_ number: Int, of count: Int, _ cause: any Error) -> any Error {
    if count == 1 || isProgramError(cause) { return cause }
    let error = cause as NSError
    return CoreDataError.make(
      code(of: error), "step \(number) of \(count) would fail: \(text(of: cause))", error.userInfo,
      cause: cause)
  }

  /// Returns the code of a cause in Cocoa's domain; `NSMigrationError` if the cause is of another domain.
  private static func code(of cause: NSError) -> Int {
    cause.domain == NSCocoaErrorDomain ? cause.code : NSMigrationError
  }

  /// Returns the error of a rehearsal on a copy, with the path of the copy replaced by that of the store. An error that
  /// the program threw stays unchanged.
  ///
  /// - Parameter folder: The folder of the copy, which has the same file name as the store.
  static func rehearsed(in folder: URL, as url: URL, _ cause: any Error) -> any Error {
    if isProgramError(cause) { return cause }
    let error = cause as NSError
    let own = url.deletingLastPathComponent().path
    func reworded(_ text: String) -> String {
      // A message may contain either form of the folder's path.
      [folder.resolvingSymlinksInPath().path, folder.path].reduce(text) {
        $0.replacing($1, with: own)
      }
    }
    var info = error.userInfo
    info[NSLocalizedDescriptionKey] = reworded(error.localizedDescription)
    info[NSFilePathErrorKey] = (info[NSFilePathErrorKey] as? String).map(reworded)
    return NSError(domain: error.domain, code: error.code, userInfo: info)
  }

  private static func store(
    _ code: Int, _ subject: String, _ url: URL, _ cause: any Error
  ) -> any Error {
    if isProgramError(cause) { return cause }
    return CoreDataError.make(
      code, "The migration failed: \(subject): \(text(of: cause))", at: url.path, cause: cause)
  }

  /// Returns an error for a failed save of new objects.
  static func save(_ url: URL, _ cause: any Error) -> any Error {
    let error = cause as NSError
    let isConstraint =
      error.domain == NSCocoaErrorDomain
      && [NSManagedObjectConstraintMergeError, NSManagedObjectConstraintValidationError]
        .contains(error.code)
    guard isConstraint else { return destination(url, cause) }
    var info = error.userInfo
    info[NSUnderlyingErrorKey] = error
    return CoreDataError.make(
      NSMigrationConstraintViolationError,
      "The migration failed, because objects have the same unique values: "
        + error.localizedDescription, info)
  }

  /// Returns an error for an object that violates a validation rule of the destination model. The user info contains
  /// the object and the key. An error that the program threw stays unchanged.
  static func validation(_ error: NSError, _ mapping: NSEntityMapping) -> NSError {
    if isProgramError(error) { return error }
    let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
    let place = object.map {
      " \($0.layout.name) \($0.ownID.uriRepresentation().lastPathComponent)"
    }
    let key = (error.userInfo[NSValidationKeyErrorKey] as? String).map { ".\($0)" }
    return CoreDataError.make(
      code(of: error),
      "The migration failed, mapping \(mapping.name ?? ""): the new object\(place ?? "")\(key ?? "")"
        + " is not valid: \(error.localizedDescription)", error.userInfo)
  }

  private static func text(of error: any Error) -> String {
    (error as NSError).localizedDescription
  }
}

/// The reason why a value cannot be computed. The caller adds the mapping and the property.
struct MigrationFailure: Error {
  let reason: String
}
