// The library's error codes as codes of `CocoaError`:
// `catch let error as CocoaError where error.code == .managedObjectMerge`.

extension CocoaError.Code {
  /// `NSManagedObjectValidationError`.
  public static var managedObjectValidation: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectValidationError)
  }
  /// `NSManagedObjectConstraintValidationError`.
  public static var managedObjectConstraintValidation: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectConstraintValidationError)
  }
  /// `NSValidationMultipleErrorsError`.
  public static var validationMultipleErrors: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationMultipleErrorsError)
  }
  /// `NSValidationMissingMandatoryPropertyError`.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationMissingMandatoryPropertyError)
  }
  /// `NSValidationRelationshipLacksMinimumCountError`.
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationRelationshipLacksMinimumCountError)
  }
  /// `NSValidationRelationshipExceedsMaximumCountError`.
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationRelationshipExceedsMaximumCountError)
  }
  /// `NSValidationRelationshipDeniedDeleteError`.
  public static var validationRelationshipDeniedDelete: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationRelationshipDeniedDeleteError)
  }
  /// `NSValidationNumberTooLargeError`.
  public static var validationNumberTooLarge: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationNumberTooLargeError)
  }
  /// `NSValidationNumberTooSmallError`.
  public static var validationNumberTooSmall: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationNumberTooSmallError)
  }
  /// `NSValidationDateTooLateError`.
  public static var validationDateTooLate: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationDateTooLateError)
  }
  /// `NSValidationDateTooSoonError`.
  public static var validationDateTooSoon: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationDateTooSoonError)
  }
  /// `NSValidationInvalidDateError`.
  public static var validationInvalidDate: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationInvalidDateError)
  }
  /// `NSValidationStringTooLongError`.
  public static var validationStringTooLong: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationStringTooLongError)
  }
  /// `NSValidationStringTooShortError`.
  public static var validationStringTooShort: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationStringTooShortError)
  }
  /// `NSValidationStringPatternMatchingError`.
  public static var validationStringPatternMatching: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationStringPatternMatchingError)
  }
  /// `NSValidationInvalidURIError`.
  public static var validationInvalidURI: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationInvalidURIError)
  }
  /// `NSManagedObjectContextLockingError`.
  public static var managedObjectContextLocking: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectContextLockingError)
  }
  /// `NSPersistentStoreCoordinatorLockingError`.
  public static var persistentStoreCoordinatorLocking: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreCoordinatorLockingError)
  }
  /// `NSManagedObjectReferentialIntegrityError`.
  public static var managedObjectReferentialIntegrity: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError)
  }
  /// `NSManagedObjectExternalRelationshipError`.
  public static var managedObjectExternalRelationship: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectExternalRelationshipError)
  }
  /// `NSManagedObjectMergeError`.
  public static var managedObjectMerge: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectMergeError)
  }
  /// `NSManagedObjectConstraintMergeError`.
  public static var managedObjectConstraintMerge: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectConstraintMergeError)
  }
  /// `NSPersistentStoreInvalidTypeError`.
  public static var persistentStoreInvalidType: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreInvalidTypeError)
  }
  /// `NSPersistentStoreTypeMismatchError`.
  public static var persistentStoreTypeMismatch: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreTypeMismatchError)
  }
  /// `NSPersistentStoreIncompatibleSchemaError`.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreIncompatibleSchemaError)
  }
  /// `NSPersistentStoreSaveError`.
  public static var persistentStoreSave: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreSaveError)
  }
  /// `NSPersistentStoreIncompleteSaveError`.
  public static var persistentStoreIncompleteSave: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreIncompleteSaveError)
  }
  /// `NSPersistentStoreSaveConflictsError`.
  public static var persistentStoreSaveConflicts: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreSaveConflictsError)
  }
  /// `NSCoreDataError`.
  public static var coreData: CocoaError.Code { CocoaError.Code(rawValue: NSCoreDataError) }
  /// `NSPersistentStoreOperationError`.
  public static var persistentStoreOperation: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreOperationError)
  }
  /// `NSPersistentStoreOpenError`.
  public static var persistentStoreOpen: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreOpenError)
  }
  /// `NSPersistentStoreTimeoutError`.
  public static var persistentStoreTimeout: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreTimeoutError)
  }
  /// `NSPersistentStoreUnsupportedRequestTypeError`.
  public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
  }
  /// `NSPersistentStoreIncompatibleVersionHashError`.
  public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreIncompatibleVersionHashError)
  }
  /// `NSMigrationError`.
  public static var migration: CocoaError.Code { CocoaError.Code(rawValue: NSMigrationError) }
  /// `NSMigrationConstraintViolationError`.
  public static var migrationConstraintViolation: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationConstraintViolationError)
  }
  /// `NSMigrationCancelledError`.
  public static var migrationCancelled: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationCancelledError)
  }
  /// `NSMigrationMissingSourceModelError`.
  public static var migrationMissingSourceModel: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationMissingSourceModelError)
  }
  /// `NSMigrationMissingMappingModelError`.
  public static var migrationMissingMappingModel: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationMissingMappingModelError)
  }
  /// `NSMigrationManagerSourceStoreError`.
  public static var migrationManagerSourceStore: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationManagerSourceStoreError)
  }
  /// `NSMigrationManagerDestinationStoreError`.
  public static var migrationManagerDestinationStore: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationManagerDestinationStoreError)
  }
  /// `NSStagedMigrationFrameworkVersionMismatchError`.
  public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
    CocoaError.Code(rawValue: NSStagedMigrationFrameworkVersionMismatchError)
  }
  /// `NSStagedMigrationBackwardMigrationError`.
  public static var stagedMigrationBackwardMigration: CocoaError.Code {
    CocoaError.Code(rawValue: NSStagedMigrationBackwardMigrationError)
  }
  /// `NSEntityMigrationPolicyError`.
  public static var entityMigrationPolicy: CocoaError.Code {
    CocoaError.Code(rawValue: NSEntityMigrationPolicyError)
  }
  /// `NSSQLiteError`.
  public static var sqlite: CocoaError.Code { CocoaError.Code(rawValue: NSSQLiteError) }
  /// `NSInferredMappingModelError`.
  public static var inferredMappingModel: CocoaError.Code {
    CocoaError.Code(rawValue: NSInferredMappingModelError)
  }
  /// `NSExternalRecordImportError`.
  public static var externalRecordImport: CocoaError.Code {
    CocoaError.Code(rawValue: NSExternalRecordImportError)
  }
}

// The same names as members of `CocoaError`, for patterns such as `catch CocoaError.managedObjectMerge`.

extension CocoaError {
  /// `NSManagedObjectValidationError`.
  public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
  /// `NSManagedObjectConstraintValidationError`.
  public static var managedObjectConstraintValidation: CocoaError.Code {
    .managedObjectConstraintValidation
  }
  /// `NSValidationMultipleErrorsError`.
  public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
  /// `NSValidationMissingMandatoryPropertyError`.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    .validationMissingMandatoryProperty
  }
  /// `NSValidationRelationshipLacksMinimumCountError`.
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    .validationRelationshipLacksMinimumCount
  }
  /// `NSValidationRelationshipExceedsMaximumCountError`.
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    .validationRelationshipExceedsMaximumCount
  }
  /// `NSValidationRelationshipDeniedDeleteError`.
  public static var validationRelationshipDeniedDelete: CocoaError.Code {
    .validationRelationshipDeniedDelete
  }
  /// `NSValidationNumberTooLargeError`.
  public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
  /// `NSValidationNumberTooSmallError`.
  public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
  /// `NSValidationDateTooLateError`.
  public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
  /// `NSValidationDateTooSoonError`.
  public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
  /// `NSValidationInvalidDateError`.
  public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
  /// `NSValidationStringTooLongError`.
  public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
  /// `NSValidationStringTooShortError`.
  public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
  /// `NSValidationStringPatternMatchingError`.
  public static var validationStringPatternMatching: CocoaError.Code {
    .validationStringPatternMatching
  }
  /// `NSValidationInvalidURIError`.
  public static var validationInvalidURI: CocoaError.Code { .validationInvalidURI }
  /// `NSManagedObjectContextLockingError`.
  public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
  /// `NSPersistentStoreCoordinatorLockingError`.
  public static var persistentStoreCoordinatorLocking: CocoaError.Code {
    .persistentStoreCoordinatorLocking
  }
  /// `NSManagedObjectReferentialIntegrityError`.
  public static var managedObjectReferentialIntegrity: CocoaError.Code {
    .managedObjectReferentialIntegrity
  }
  /// `NSManagedObjectExternalRelationshipError`.
  public static var managedObjectExternalRelationship: CocoaError.Code {
    .managedObjectExternalRelationship
  }
  /// `NSManagedObjectMergeError`.
  public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
  /// `NSManagedObjectConstraintMergeError`.
  public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
  /// `NSPersistentStoreInvalidTypeError`.
  public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
  /// `NSPersistentStoreTypeMismatchError`.
  public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
  /// `NSPersistentStoreIncompatibleSchemaError`.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code {
    .persistentStoreIncompatibleSchema
  }
  /// `NSPersistentStoreSaveError`.
  public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
  /// `NSPersistentStoreIncompleteSaveError`.
  public static var persistentStoreIncompleteSave: CocoaError.Code {
    .persistentStoreIncompleteSave
  }
  /// `NSPersistentStoreSaveConflictsError`.
  public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
  /// `NSCoreDataError`.
  public static var coreData: CocoaError.Code { .coreData }
  /// `NSPersistentStoreOperationError`.
  public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
  /// `NSPersistentStoreOpenError`.
  public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
  /// `NSPersistentStoreTimeoutError`.
  public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
  /// `NSPersistentStoreUnsupportedRequestTypeError`.
  public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
    .persistentStoreUnsupportedRequestType
  }
  /// `NSPersistentStoreIncompatibleVersionHashError`.
  public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
    .persistentStoreIncompatibleVersionHash
  }
  /// `NSMigrationError`.
  public static var migration: CocoaError.Code { .migration }
  /// `NSMigrationConstraintViolationError`.
  public static var migrationConstraintViolation: CocoaError.Code { .migrationConstraintViolation }
  /// `NSMigrationCancelledError`.
  public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
  /// `NSMigrationMissingSourceModelError`.
  public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
  /// `NSMigrationMissingMappingModelError`.
  public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
  /// `NSMigrationManagerSourceStoreError`.
  public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
  /// `NSMigrationManagerDestinationStoreError`.
  public static var migrationManagerDestinationStore: CocoaError.Code {
    .migrationManagerDestinationStore
  }
  /// `NSStagedMigrationFrameworkVersionMismatchError`.
  public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
    .stagedMigrationFrameworkVersionMismatch
  }
  /// `NSStagedMigrationBackwardMigrationError`.
  public static var stagedMigrationBackwardMigration: CocoaError.Code {
    .stagedMigrationBackwardMigration
  }
  /// `NSEntityMigrationPolicyError`.
  public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
  /// `NSSQLiteError`.
  public static var sqlite: CocoaError.Code { .sqlite }
  /// `NSInferredMappingModelError`.
  public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
  /// `NSExternalRecordImportError`.
  public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
