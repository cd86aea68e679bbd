/// Names that properties cannot or should not have.
enum ReservedNames {
  /// The members of every managed object: the methods without parameters of `NSManagedObject` and `NSObject`, and the
  /// word for the object itself in predicates.
  ///
  /// Apple's rule (`NSPropertyDescription`, "Overview"): "a property name cannot be the same as any
  /// no-parameter method name of NSObject or NSManagedObject". Of the hundreds of methods that Cocoa's
  /// categories add, the list contains only those that exist here too, so that no model is rejected because
  /// of a method that does not exist.
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

  /// Names whose accessor on Apple's platforms, such as `isDeleted` for `deleted`, is a member of the object.
  static let withAccessor: Set = ["deleted", "inserted", "updated", "fault"]

  /// Characters with a meaning in key paths and predicates.
  static let inPaths: Set<Unicode.Scalar> = [".", "@", "$", "(", ")", "[", "]", "\"", "'", "\0"]
}
