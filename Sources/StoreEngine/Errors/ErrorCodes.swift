/// The domain of errors that carry SQLite's own extended result code.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

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

/// A context's lock could not be had. Compared to Apple's Core Data: nothing here gives it.
public let NSManagedObjectContextLockingError = 132000
/// A coordinator's lock could not be had. Compared to Apple's Core Data: nothing here gives it.
public let NSPersistentStoreCoordinatorLockingError = 132010

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
/// Some stores or objects were saved, and others not; they are under `NSAffectedStoresErrorKey` and
/// `NSAffectedObjectsErrorKey`.
public let NSPersistentStoreIncompleteSaveError = 134040
/// Conflicts of a save that the merge policy left as they were; they are under
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
/// A migration failed.
public let NSMigrationError = 134110
/// A migration would break a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134120
/// The model that a store was made with was not found.
public let NSMigrationMissingSourceModelError = 134130
/// No mapping model leads from the store's model to the one it is opened with.
public let NSMigrationMissingMappingModelError = 134140
/// A migration could not read its source.
public let NSMigrationManagerSourceStoreError = 134150
/// A migration could not write its destination.
public let NSMigrationManagerDestinationStoreError = 134160
/// A migration policy of the program's failed.
public let NSEntityMigrationPolicyError = 134170
/// No mapping model can be inferred from the differences of two models.
public let NSInferredMappingModelError = 134190
/// A staged migration names a model that is not there.
public let NSStagedMigrationModelReferenceNotFoundError = 134504
/// A staged migration asks for a later version of the framework. Compared to Apple's Core Data: nothing
/// here gives it.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// A store is of a later model than a staged migration leads to.
public let NSStagedMigrationBackwardMigrationError = 134506
/// An external record could not be imported.
public let NSExternalRecordImportError = 134200
/// The history that a token stands for was deleted.
public let NSPersistentHistoryTokenExpiredError = 134301
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
/// The stores that an error is about, an array.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error is about, an array.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The `NSMergeConflict`s and `NSConstraintConflict`s of a save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
