/// The domain of errors whose codes are SQLite's extended result codes.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

// Codes of errors in `NSCocoaErrorDomain`, with Apple's names and numbers (CoreDataErrors.h).

/// An object violates a validation rule that has no code of its own.
public let NSManagedObjectValidationError = 1550
/// Another object has the same values for a uniqueness constraint.
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
/// A value is not a date.
public let NSValidationInvalidDateError = 1650
/// A string is longer than its maximum.
public let NSValidationStringTooLongError = 1660
/// A string is shorter than its minimum.
public let NSValidationStringTooShortError = 1670
/// A string does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A value is not a URI.
public let NSValidationInvalidURIError = 1690

/// The lock of a context could not be acquired. Compared to Apple's Core Data: never used here.
public let NSManagedObjectContextLockingError = 132000
/// The lock of a coordinator could not be acquired. Compared to Apple's Core Data: never used here.
public let NSPersistentStoreCoordinatorLockingError = 132010

/// The row of an object does not exist.
public let NSManagedObjectReferentialIntegrityError = 133000
/// A relationship refers to an object of another store.
public let NSManagedObjectExternalRelationshipError = 133010
/// Another save changed the same objects. The conflicts are under `NSPersistentStoreSaveConflictsErrorKey`.
public let NSManagedObjectMergeError = 133020

/// Objects have the same values for a uniqueness constraint. The conflicts are under
/// `NSPersistentStoreSaveConflictsErrorKey`.
public let NSManagedObjectConstraintMergeError = 133021

/// The store type is unknown.
public let NSPersistentStoreInvalidTypeError = 134000
/// The file is a store of another type.
public let NSPersistentStoreTypeMismatchError = 134010
/// The tables of the store do not match the model.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// A save failed.
public let NSPersistentStoreSaveError = 134030
/// Only some stores or objects were saved. Those that were not saved are under `NSAffectedStoresErrorKey` and
/// `NSAffectedObjectsErrorKey`.
public let NSPersistentStoreIncompleteSaveError = 134040
/// The merge policy did not resolve the conflicts of a save, which are under
/// `NSPersistentStoreSaveConflictsErrorKey`. A custom store throws this error with the conflicts that it found.
public let NSPersistentStoreSaveConflictsError = 134050
/// An operation of a store failed for a reason without a code of its own.
public let NSPersistentStoreOperationError = 134070
/// A store could not be opened.
public let NSPersistentStoreOpenError = 134080
/// Another connection held the store's lock for too long.
public let NSPersistentStoreTimeoutError = 134090
/// The store does not support this type of request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// The store was created with another model.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A migration failed.
public let NSMigrationError = 134110
/// A migration would violate a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134120
/// The model that the store was created with was not found.
public let NSMigrationMissingSourceModelError = 134130
/// There is no mapping model from the store's model to the one that it is opened with.
public let NSMigrationMissingMappingModelError = 134140
/// A migration could not read its source.
public let NSMigrationManagerSourceStoreError = 134150
/// A migration could not write its destination.
public let NSMigrationManagerDestinationStoreError = 134160
/// An entity mapping refers to a migration policy class that does not exist.
public let NSEntityMigrationPolicyError = 134170
/// No mapping model can be inferred from the differences between two models.
public let NSInferredMappingModelError = 134190
/// A staged migration refers to a model that does not exist.
public let NSManagedObjectModelReferenceNotFoundError = 134504
/// A staged migration requires a later version of the framework. Compared to Apple's Core Data: never used here.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// The store has a later model than the target of a staged migration.
public let NSStagedMigrationBackwardMigrationError = 134506
/// An external record could not be imported. Compared to Apple's Core Data: never used here.
public let NSExternalRecordImportError = 134200
/// The history at a token was deleted.
public let NSPersistentHistoryTokenExpiredError = 134301
/// A request is invalid, or an error without a code of its own occurred.
public let NSCoreDataError = 134060
/// SQLite reported an error. Compared to Apple's Core Data: never used here. An error has the code of the operation
/// that failed. Its underlying error is SQLite's, in the domain ``NSSQLiteErrorDomain``.
public let NSSQLiteError = 134180

/// The differences between a model and the one that a store was created with, in the user info of
/// ``NSPersistentStoreIncompatibleVersionHashError``. The value is an array of strings such as `Person.age: type
/// Integer 16 → Integer 32`, from the store's model to the one that it was opened with. It is empty if the store
/// contains no readable copy of its model.
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
