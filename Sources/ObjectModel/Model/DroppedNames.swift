/// The keys in model files that readers may ignore, because they repeat other keys or do not describe
/// the entities. All other keys are read, or reported as unrecognized.
enum DroppedNames {
  /// A property's flags, which summarize its other keys.
  static let compiledProperty = ["_P"]

  /// The allocation type of a fetch request.
  static let compiledFetchRequest = ["NSAllocationType"]

  /// A private setting of sort descriptors, always false in models.
  static let compiledSortDescriptor = ["NSReverseNullOrder"]

  /// The UML properties of the model editor's objects, and the editor's object numbers. The
  /// properties are constant, or repeat values that are also stored under Core Data's own keys.
  static let sourceElement: Set<String> = [
    "_association", "_default", "_isAbstract", "_isComposite", "_isDerived", "_isLeaf",
    "_isOrdered",
    "_isReadOnly", "_isStatic", "_isUnique", "_owner", "_type", "_uniqueElementID", "_visibility",
    "XDBucketForGeneralizationsduplicates", "XDBucketForGeneralizationsordered",
    "XDBucketForGeneralizationswasEncoded", "XDBucketForOwnedAttributesordered",
    "XDBucketForOwnedAttributeswasEncoded", "XDBucketForSpecializationsduplicates",
    "XDBucketForSpecializationsordered", "XDBucketForSpecializationsstorage",
    "XDBucketForSpecializationswasEncoded", "XDBucketForStereotypesordered",
    "XDBucketForStereotypeswasEncoded",
  ]

  /// The class of the records that a sync service creates for objects. It is the same for all entities.
  static let sourceEntityValues = ["XD_PSK_classMapping"]

  /// Settings of the sync service that ended with macOS 10.7; Xcode drops them too.
  static let sourceUserInfo = [
    "com.apple.syncservices.AutomaticResolutionPolicy",
    "com.apple.syncservices.ExcludeFromDataChangeAlert",
  ]
}
