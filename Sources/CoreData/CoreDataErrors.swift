import Foundation
import ObjectModel

// Codes of errors in `NSCocoaErrorDomain`, with Apple's names and numbers (CoreDataErrors.h).

/// A validation rule without a code of its own was broken.
public let NSManagedObjectValidationError = 1550
/// Another object has the same values for a uniqueness constraint.
public let NSManagedObjectConstraintValidationError = 1551
/// Several rules were broken; the errors are under `NSDetailedErrorsKey`.
public let NSValidationMultipleErrorsError = 1560
/// A property that is not optional has no value.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship has fewer members than its minimum.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship has more members than its maximum.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship with the deny rule still has members.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is greater than its maximum.
public let NSValidationNumberTooLargeError = 1610
/// A number is less than its minimum.
public let NSValidationNumberTooSmallError = 1620
/// A date is later than its maximum.
public let NSValidationDateTooLateError = 1630
/// A date is earlier than its minimum.
public let NSValidationDateTooSoonError = 1640
/// A value is no date.
public let NSValidationInvalidDateError = 1650
/// A string is longer than its maximum.
public let NSValidationStringTooLongError = 1660
/// A string is shorter than its minimum.
public let NSValidationStringTooShortError = 1670
/// A string does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A value is no URI.
public let NSValidationInvalidURIError = 1690

/// The row of an object is gone.
public let NSManagedObjectReferentialIntegrityError = 133000
/// A relationship leads to an object of another store.
public let NSManagedObjectExternalRelationshipError = 133010
/// Another save changed the same objects; the conflicts are under
/// `NSPersistentStoreSaveConflictsErrorKey`.
public let NSManagedObjectMergeError = 133020

/// Objects have the same values for a uniqueness constraint; the conflicts are under
/// `NSPersistentStoreSaveConflictsErrorKey`.
public let NSManagedObjectConstraintMergeError = 133021

/// The type of store is not known.
public let NSPersistentStoreInvalidTypeError = 134000
/// The file is not a store of this type.
public let NSPersistentStoreTypeMismatchError = 134010
/// The store's tables do not fit the model.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// A save failed.
public let NSPersistentStoreSaveError = 134030
/// Conflicts were left when a save was tried again; they are under
/// `NSPersistentStoreSaveConflictsErrorKey`. A store of a program's own throws it with the conflicts
/// that it found.
public let NSPersistentStoreSaveConflictsError = 134050
/// A store could not do what was asked, for a reason of its own.
public let NSPersistentStoreOperationError = 134070
/// A store could not be opened.
public let NSPersistentStoreOpenError = 134080
/// Another connection held the store's lock for too long.
public let NSPersistentStoreTimeoutError = 134090
/// The request is of a kind the store does not know.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// The model is not the one the store was made with.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A request is wrong, or anything that has no code of its own.
public let NSCoreDataError = 134060
/// SQLite reported an error; it is the underlying error.
public let NSSQLiteError = 134180

/// What differs between a model and the one a store was made with, in the user info of an
/// ``NSPersistentStoreIncompatibleVersionHashError``: an array of texts such as
/// `Person.age: type Integer 16 → Integer 32`, from the store's model to the one it was opened with;
/// empty for a store that carries no copy of its model.
public let storeModelDifferencesErrorKey = "storeModelDifferences"
/// The array of errors of a `NSValidationMultipleErrorsError`.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key that failed validation.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The value that failed validation.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The predicate that failed.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The `NSMergeConflict`s and `NSConstraintConflict`s of a save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"

/// Makes the errors that this module throws.
enum CoreDataError {
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
    if let cause {
      info[NSUnderlyingErrorKey] = (cause as? SQLiteError)?.nsError ?? (cause as NSError)
    }
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
  }

  /// A request that cannot be run as it stands: a mistake in it, not in the data.
  static func badRequest(_ message: String) -> NSError { make(NSCoreDataError, message) }

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
