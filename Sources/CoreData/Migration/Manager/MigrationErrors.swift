/// Makes the errors of migrations.
enum MigrationErrors {
  /// An error of a mapping; a cause of the program's own stays as it is.
  static func mapping(
    _ mapping: NSEntityMapping, _ reason: String, cause: (any Error)? = nil
  ) -> any Error {
    if let cause, isOfProgram(cause) { return cause }
    return CoreDataError.make(
      NSMigrationError, "mapping \(mapping.name ?? ""): \(reason)", cause: cause)
  }

  static func property(
    _ mapping: NSEntityMapping, _ property: NSPropertyMapping, _ cause: any Error
  ) -> any Error {
    if isOfProgram(cause) { return cause }
    let reason = (cause as? MigrationFailure)?.reason ?? text(of: cause)
    return CoreDataError.make(
      NSMigrationError, "mapping \(mapping.name ?? ""), property \(property.name ?? ""): \(reason)",
      cause: cause)
  }

  static func unknownFunction(_ selector: String, of object: AnyObject) -> NSError {
    CoreDataError.make(
      NSMigrationError,
      "\(type(of: object)) does not carry out the function \(selector); override"
        + " value(forFunction:arguments:)")
  }

  /// What stands in the way of inferring a mapping is among the detailed errors, each with what helps.
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

  /// Rows that no mapping says anything of, although both models have their entities.
  static func leftOut(_ rows: [(entity: String, count: Int)], _ url: URL) -> NSError {
    let list = rows.map { "\($0.entity) (\($0.count) rows)" }.joined(separator: ", ")
    return CoreDataError.make(
      NSMigrationError,
      "the mapping model has no entity mapping for \(list), which both models have: the migrated store would not have"
        + " these rows of \(url.path)",
      [
        NSFilePathErrorKey: url.path,
        NSLocalizedRecoverySuggestionErrorKey:
          "map them in the mapping model; where rows are to go, by a mapping of the type remove",
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

  /// Whether an error is one that the program threw where its code is called: in a policy, a function of an
  /// expression, a validation. Such errors stay as they are.
  static func isOfProgram(_ error: any Error) -> Bool {
    switch error {
    case is MigrationFailure, is any UnderlyingError, is InvalidPredicateError: false
    default:
      ![NSCocoaErrorDomain, NSPOSIXErrorDomain, NSSQLiteErrorDomain].contains(
        (error as NSError).domain)
    }
  }

  /// A step of a chain failed after others were done and kept. What the program threw stays as it is.
  static func step(_ number: Int, of count: Int, _ url: URL, _ cause: any Error) -> any Error {
    if isOfProgram(cause) {
      Log.storeNotice(
        "step \(number) of \(count) failed, and the store \(url.path) is of the version before that step"
      )
      return cause
    }
    let error = cause as NSError
    let isOwn = error.domain == NSCocoaErrorDomain
    return CoreDataError.make(
      isOwn ? error.code : NSMigrationError,
      "step \(number) of \(count) failed, and the store is of the version before that step now:"
        + " \(text(of: cause))", error.userInfo.merging([NSFilePathErrorKey: url.path]) { $1 },
      cause: cause)
  }

  /// A step of a chain is known to fail before any is taken.
  static func planned(_ number: Int, of count: Int, _ cause: any Error) -> any Error {
    if count == 1 || isOfProgram(cause) { return cause }
    let error = cause as NSError
    return CoreDataError.make(
      error.code, "step \(number) of \(count) cannot be taken: \(text(of: cause))", error.userInfo,
      cause: cause)
  }

  /// An error of a migration that was tried on a copy, told of the store.
  ///
  /// - Parameter folder: where the copy is, under the same name.
  static func rehearsed(in folder: URL, as url: URL, _ cause: any Error) -> any Error {
    if isOfProgram(cause) { return cause }
    let error = cause as NSError
    let own = url.deletingLastPathComponent().path
    func reworded(_ text: String) -> String {
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
    if isOfProgram(cause) { return cause }
    return CoreDataError.make(
      code, "The migration failed: \(subject): \(text(of: cause))", at: url.path, cause: cause)
  }

  /// A save of what was made failed.
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

  /// An object breaks a rule of the destination's model. The object and the key stay in the user info. An
  /// error of the program's own stays as it is.
  static func validation(_ error: NSError, _ mapping: NSEntityMapping) -> NSError {
    if isOfProgram(error) { return error }
    let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
    let place = object.map {
      " \($0.layout.name) \($0.objectID.uriRepresentation().lastPathComponent)"
    }
    let key = (error.userInfo[NSValidationKeyErrorKey] as? String).map { ".\($0)" }
    return CoreDataError.make(
      error.code,
      "The migration failed, mapping \(mapping.name ?? ""): the new object\(place ?? "")\(key ?? "")"
        + " is not valid: \(error.localizedDescription)", error.userInfo)
  }

  private static func text(of error: any Error) -> String {
    (error as NSError).localizedDescription
  }
}

/// Why a value cannot be had, before it is known for which property.
struct MigrationFailure: Error {
  let reason: String
}
