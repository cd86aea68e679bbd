import CoreData
import Testing

/// Error codes, user info keys and notification names with Apple's raw values.
///
/// Sources: CoreDataErrors.h and NSManagedObjectContext.h of the public SDKs; Apple's pages "Core Data
/// Constants" and "CocoaError"; raw values of keys from public logs.
@Suite("Errors and notifications have Apple's names and values")
struct ErrorSurfaceTests {
  @Test("Error codes have Apple's values, also in CocoaError")
  func codes() {
    let codes: [(Int, CocoaError.Code, Int)] = [
      (NSManagedObjectValidationError, .managedObjectValidation, 1550),
      (NSManagedObjectConstraintValidationError, .managedObjectConstraintValidation, 1551),
      (NSValidationMultipleErrorsError, .validationMultipleErrors, 1560),
      (NSValidationMissingMandatoryPropertyError, .validationMissingMandatoryProperty, 1570),
      (
        NSValidationRelationshipLacksMinimumCountError, .validationRelationshipLacksMinimumCount,
        1580
      ),
      (
        NSValidationRelationshipExceedsMaximumCountError,
        .validationRelationshipExceedsMaximumCount, 1590
      ),
      (NSValidationRelationshipDeniedDeleteError, .validationRelationshipDeniedDelete, 1600),
      (NSValidationNumberTooLargeError, .validationNumberTooLarge, 1610),
      (NSValidationNumberTooSmallError, .validationNumberTooSmall, 1620),
      (NSValidationDateTooLateError, .validationDateTooLate, 1630),
      (NSValidationDateTooSoonError, .validationDateTooSoon, 1640),
      (NSValidationInvalidDateError, .validationInvalidDate, 1650),
      (NSValidationStringTooLongError, .validationStringTooLong, 1660),
      (NSValidationStringTooShortError, .validationStringTooShort, 1670),
      (NSValidationStringPatternMatchingError, .validationStringPatternMatching, 1680),
      (NSValidationInvalidURIError, .validationInvalidURI, 1690),
      (NSManagedObjectContextLockingError, .managedObjectContextLocking, 132000),
      (NSPersistentStoreCoordinatorLockingError, .persistentStoreCoordinatorLocking, 132010),
      (NSManagedObjectReferentialIntegrityError, .managedObjectReferentialIntegrity, 133000),
      (NSManagedObjectExternalRelationshipError, .managedObjectExternalRelationship, 133010),
      (NSManagedObjectMergeError, .managedObjectMerge, 133020),
      (NSManagedObjectConstraintMergeError, .managedObjectConstraintMerge, 133021),
      (NSPersistentStoreInvalidTypeError, .persistentStoreInvalidType, 134000),
      (NSPersistentStoreTypeMismatchError, .persistentStoreTypeMismatch, 134010),
      (NSPersistentStoreIncompatibleSchemaError, .persistentStoreIncompatibleSchema, 134020),
      (NSPersistentStoreSaveError, .persistentStoreSave, 134030),
      (NSPersistentStoreIncompleteSaveError, .persistentStoreIncompleteSave, 134040),
      (NSPersistentStoreSaveConflictsError, .persistentStoreSaveConflicts, 134050),
      (NSCoreDataError, .coreData, 134060),
      (NSPersistentStoreOperationError, .persistentStoreOperation, 134070),
      (NSPersistentStoreOpenError, .persistentStoreOpen, 134080),
      (NSPersistentStoreTimeoutError, .persistentStoreTimeout, 134090),
      (
        NSPersistentStoreUnsupportedRequestTypeError, .persistentStoreUnsupportedRequestType,
        134091
      ),
      (
        NSPersistentStoreIncompatibleVersionHashError, .persistentStoreIncompatibleVersionHash,
        134100
      ),
      (NSMigrationError, .migration, 134110),
      (NSMigrationConstraintViolationError, .migrationConstraintViolation, 134111),
      (NSMigrationCancelledError, .migrationCancelled, 134120),
      (NSMigrationMissingSourceModelError, .migrationMissingSourceModel, 134130),
      (NSMigrationMissingMappingModelError, .migrationMissingMappingModel, 134140),
      (NSMigrationManagerSourceStoreError, .migrationManagerSourceStore, 134150),
      (NSMigrationManagerDestinationStoreError, .migrationManagerDestinationStore, 134160),
      (NSEntityMigrationPolicyError, .entityMigrationPolicy, 134170),
      (NSSQLiteError, .sqlite, 134180),
      (NSInferredMappingModelError, .inferredMappingModel, 134190),
      (NSExternalRecordImportError, .externalRecordImport, 134200),
      (NSPersistentHistoryTokenExpiredError, CocoaError.Code(rawValue: 134301), 134301),
      // Apple documents no member of CocoaError.Code for this code.
      (NSManagedObjectModelReferenceNotFoundError, CocoaError.Code(rawValue: 134504), 134504),
      (
        NSStagedMigrationFrameworkVersionMismatchError, .stagedMigrationFrameworkVersionMismatch,
        134505
      ),
      (NSStagedMigrationBackwardMigrationError, .stagedMigrationBackwardMigration, 134506),
    ]
    for (code, cocoa, expected) in codes {
      #expect(code == expected && cocoa.rawValue == expected)
    }
    #expect(CocoaError.managedObjectMerge == .managedObjectMerge)
    #expect(
      CocoaError.stagedMigrationFrameworkVersionMismatch
        == .stagedMigrationFrameworkVersionMismatch)
    #expect(CocoaError.stagedMigrationBackwardMigration == .stagedMigrationBackwardMigration)
  }

  @Test("A thrown error can be caught as a CocoaError by its code")
  func catching() throws {
    let stack = try SampleStack()
    stack.context.performAndWait {
      stack.context.insert("Tag")
      do {
        try stack.context.save()
        Issue.record("a tag without a label was saved")
      } catch let error as CocoaError where error.code == .validationMissingMandatoryProperty {
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "label")
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  @Test("Keys of errors' user info have Apple's values")
  func errorKeys() {
    #expect(NSValidationObjectErrorKey == "NSValidationErrorObject")
    #expect(NSValidationKeyErrorKey == "NSValidationErrorKey")
    #expect(NSValidationValueErrorKey == "NSValidationErrorValue")
    #expect(NSValidationPredicateErrorKey == "NSValidationErrorPredicate")
    #expect(NSDetailedErrorsKey == "NSDetailedErrors")
    #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
    #expect(NSAffectedStoresErrorKey == "NSAffectedStoresErrorKey")
    #expect(NSAffectedObjectsErrorKey == "NSAffectedObjectsErrorKey")
    #expect(NSSQLiteErrorDomain == "NSSQLiteErrorDomain")
  }

  @Test("Notifications in both forms, and their keys, have Apple's values")
  func notifications() {
    let names: [(Notification.Name, Notification.Name, String)] = [
      (
        .NSManagedObjectContextObjectsDidChange,
        NSManagedObjectContext.didChangeObjectsNotification,
        "NSObjectsChangedInManagingContextNotification"
      ),
      (
        .NSManagedObjectContextWillSave, NSManagedObjectContext.willSaveObjectsNotification,
        "NSManagingContextWillSaveChangesNotification"
      ),
      (
        .NSManagedObjectContextDidSave, NSManagedObjectContext.didSaveObjectsNotification,
        "NSManagingContextDidSaveChangesNotification"
      ),
      (
        .NSManagedObjectContextDidSaveObjectIDs,
        NSManagedObjectContext.didSaveObjectIDsNotification,
        "NSManagedObjectContextDidSaveObjectIDsNotification"
      ),
      (
        .NSManagedObjectContextDidMergeChangesObjectIDs,
        NSManagedObjectContext.didMergeChangesObjectIDsNotification,
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification"
      ),
    ]
    for (old, new, text) in names { #expect(old == new && old.rawValue == text) }
    let keys: [(NSManagedObjectContext.NotificationKey, String, String)] = [
      (.sourceContext, "managedObjectContext", "managedObjectContext"),
      (
        .queryGeneration, NSManagedObjectContextQueryGenerationKey,
        "NSManagedObjectContextQueryGenerationKey"
      ),
      (.insertedObjects, NSInsertedObjectsKey, "inserted"),
      (.updatedObjects, NSUpdatedObjectsKey, "updated"),
      (.deletedObjects, NSDeletedObjectsKey, "deleted"),
      (.refreshedObjects, NSRefreshedObjectsKey, "refreshed"),
      (.invalidatedObjects, NSInvalidatedObjectsKey, "invalidated"),
      (.invalidatedAllObjects, NSInvalidatedAllObjectsKey, "invalidatedAll"),
      (.insertedObjectIDs, NSInsertedObjectIDsKey, "inserted_objectIDs"),
      (.updatedObjectIDs, NSUpdatedObjectIDsKey, "updated_objectIDs"),
      (.deletedObjectIDs, NSDeletedObjectIDsKey, "deleted_objectIDs"),
      (.refreshedObjectIDs, NSRefreshedObjectIDsKey, "refreshed_objectIDs"),
      (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey, "invalidated_objectIDs"),
    ]
    for (key, constant, text) in keys { #expect(key.rawValue == constant && constant == text) }
    #expect(NSAddedPersistentStoresKey == "added" && NSRemovedPersistentStoresKey == "removed")
    let stores: [Notification.Name] = [
      .NSPersistentStoreCoordinatorStoresWillChange, .NSPersistentStoreCoordinatorStoresDidChange,
      .NSPersistentStoreCoordinatorWillRemoveStore,
    ]
    #expect(Set(stores).count == 3)
  }

  /// Source: Apple's page "Core Data Constants".
  @Test("Store types, metadata keys and options have Apple's values")
  func storeKeys() {
    let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType]
    #expect(types == ["SQLite", "XML", "Binary", "InMemory"])
    #expect(NSStoreTypeKey == "NSStoreType" && NSStoreUUIDKey == "NSStoreUUID")
    #expect(NSStoreModelVersionHashesKey == "NSStoreModelVersionHashes")
    #expect(NSStoreModelVersionIdentifiersKey == "NSStoreModelVersionIdentifiers")
    #expect(NSPersistenceFrameworkVersionKey == "NSPersistenceFrameworkVersion")
    let options = [
      NSReadOnlyPersistentStoreOption, NSPersistentStoreTimeoutOption, NSSQLitePragmasOption,
      NSSQLiteAnalyzeOption, NSSQLiteManualVacuumOption, NSIgnorePersistentStoreVersioningOption,
      NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
      NSValidateXMLStoreOption, NSPersistentStoreForceDestroyOption,
    ]
    #expect(Set(options).count == options.count)
  }
}
