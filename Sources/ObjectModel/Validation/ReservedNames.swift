/// Names that properties cannot have.
enum ReservedNames {
  /// What every managed object has: the methods without parameters of `NSManagedObject` and of
  /// `NSObject`'s protocol, and the words that mean the object itself in predicates.
  ///
  /// Apple's rule (`NSPropertyDescription`, "Overview"): "a property name cannot be the same as any
  /// no-parameter method name of NSObject or NSManagedObject". Of the hundreds that Cocoa's
  /// categories add, only those that are also here are in the list, so that no model is refused for
  /// the sake of a method that does not exist.
  static let ofManagedObjects: Set = [
    // NSManagedObject
    "entity", "objectID", "managedObjectContext", "hasChanges", "hasPersistentChangedValues",
    "isInserted", "isUpdated", "isDeleted", "isFault", "faultingState", "changedValues",
    "changedValuesForCurrentEvent", "awakeFromFetch", "awakeFromInsert", "prepareForDeletion",
    "willSave", "didSave", "willTurnIntoFault", "didTurnIntoFault", "observationInfo",
    "validateForDelete", "validateForInsert", "validateForUpdate",
    // NSObject
    "self", "class", "superclass", "hash", "description", "debugDescription", "zone", "isProxy",
    "init", "copy", "mutableCopy", "dealloc", "retain", "release", "autorelease", "retainCount",
    // The predicate language
    "SELF",
  ]

  /// Names whose accessor on Apple's platforms, `isDeleted` for `deleted`, is one of the object's own.
  static let withAccessor: Set = ["deleted", "inserted", "updated", "fault"]

  /// Characters that mean something in key paths and predicates.
  static let inPaths: Set<Unicode.Scalar> = [".", "@", "$", "(", ")", "[", "]", "\"", "'", "\0"]
}
