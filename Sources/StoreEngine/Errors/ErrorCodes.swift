/// The domain of errors whose codes are SQLite's extended result codes.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

// Codes of errors in `NSCocoaErrorDomain`, with Apple's names and numbers (CoreDataErrors.h).

/// A value has a wrong type, violates a validation rule that has a message or no code of its own, or cannot be checked
/// by a rule.
public let NSManagedObjectValidationError = 1550
/// Another object has the same values for a uniqueness constraint. Compared to Apple's Core Data: never used here; see
/// ``NSManagedObjectConstraintMergeError``.
public let NSManagedObjectConstraintValidationError = 1551
/// An object violates several validation rules. The errors are under `NSDetailedErrorsKey`.
public let NSValidationMultipleErrorsError = 1560
/// A required property has no value.
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
/// A value of a date attribute is not a date, or is a date that is not finite.
public let NSValidationInvalidDateError = 1650
/// A string is longer than its maximum.
public let NSValidationStringTooLongError = 1660
/// A string is shorter than its minimum.
public let NSValidationStringTooShortError = 1670
/// A string does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A value of a URI attribute is not a URI.
public let NSValidationInvalidURIError = 1690

/// The lock of a context could not be acquired. Compared to Apple's Core Data: never used here.
public let NSManagedObjectContextLockingError = 132000
/// The lock of a coordinator could not be acquired. Compared to Apple's Core Data: never used here.
public let NSPersistentStoreCoordinatorLockingError = 132010

/// The row of an object does not exist.
public let NSManagedObjectReferentialIntegrityError = 133000
/// A relationship refers to an object of another store, or to an unsaved object that is not saved with it.
public let NSManagedObjectExternalRelationshipError = 133010
/// Another save changed the same objects. If a context's save failed, the conflicts are under
/// `NSPersistentStoreSaveConflictsErrorKey`.
public let NSManagedObjectMergeError = 133020

/// Objects have the same values for a uniqueness constraint. If a context's save failed, the conflicts are under
/// `NSPersistentStoreSaveConflictsErrorKey`.
public let NSManagedObjectConstraintMergeError = 133021

/// The store type is unknown.
public let NSPersistentStoreInvalidTypeError = 134000
/// The file is a store of another type.
public let NSPersistentStoreTypeMismatchError = 134010
/// The tables of the store do not match the model, or the store cannot support a part of the model, such as a derived
/// attribute or a fetch index.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// A save failed.
public let NSPersistentStoreSaveError = 134030
/// Only some of the stores were saved. The other stores and their objects are under `NSAffectedStoresErrorKey` and
/// `NSAffectedObjectsErrorKey`.
public let NSPersistentStoreIncompleteSaveError = 134040
/// The merge policy did not resolve the conflicts of a save, which are under `NSPersistentStoreSaveConflictsErrorKey`.
/// A custom store throws this error with the conflicts that it found. A file that was changed before a new file could
/// replace it causes this error without conflicts.
public let NSPersistentStoreSaveConflictsError = 134050
/// An operation of a store failed for a reason without a code of its own.
public let NSPersistentStoreOperationError = 134070
/// A store could not be opened.
public let NSPersistentStoreOpenError = 134080
/// Another connection or process held a lock of the store for too long, or a statement ran too long because of triggers
/// or indexes of another program.
public let NSPersistentStoreTimeoutError = 134090
/// The store does not support this type of request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// The store was created with another model, or another process has migrated it since it was opened.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A migration failed.
public let NSMigrationError = 134110
/// A migration would violate a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134120
/// The model that the store was created with was not found.
public let NSMigrationMissingSourceModelError = 134130
/// There is no mapping model from the store's model to the one that it is opened with, or it contains no mappings.
public let NSMigrationMissingMappingModelError = 134140
/// A migration could not read its source.
public let NSMigrationManagerSourceStoreError = 134150
/// A migration could not write its destination.
public let NSMigrationManagerDestinationStoreError = 134160
/// An entity mapping refers to a migration policy class that does not exist.
public let NSEntityMigrationPolicyError = 134170
/// No mapping model can be inferred from the differences between two models.
public let NSInferredMappingModelError = 134190
/// A staged migration refers to a model that does not exist, or no stage refers to the store's model or to the one that
/// the store is opened with.
public let NSManagedObjectModelReferenceNotFoundError = 134504
/// A staged migration requires a later version of the framework. Compared to Apple's Core Data: never used here.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// The store has a later model than the target of a staged migration.
public let NSStagedMigrationBackwardMigrationError = 134506
/// An external record could not be imported. Compared to Apple's Core Data: never used here.
public let NSExternalRecordImportError = 134200
/// The history after a token or transaction was deleted or never existed.
public let NSPersistentHistoryTokenExpiredError = 134301
/// A request is invalid, or an error without a code of its own occurred.
public let NSCoreDataError = 134060
/// SQLite reported an error. Compared to Apple's Core Data: never used here. Instead, the error has the code of the
/// operation that failed, and its underlying error is SQLite's, in the domain ``NSSQLiteErrorDomain``.
public let NSSQLiteError = 134180

/// The differences between a model and the one that a store was created with, in the user info of
/// ``NSPersistentStoreIncompatibleVersionHashError``. The value is an array of strings such as `Person.age: type
/// Integer 16 → Integer 32`, from the store's model to the one that it was opened with. It is empty if the store
/// contains no readable copy of its model. The key is missing if the store was migrated while it was open.
public let storeModelDifferencesErrorKey = "storeModelDifferences"
/// The errors of an `NSValidationMultipleErrorsError`, an array.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key that failed validation.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The value that failed validation.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The predicate that the value does not satisfy.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The affected stores, an array.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The affected objects, an array.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The `NSMergeConflict`s and `NSConstraintConflict`s of a save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
