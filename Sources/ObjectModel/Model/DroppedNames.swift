/// What readers of model files know and leave out on purpose, because it says nothing about the
/// entities. Everything else is kept, or noted as not understood.
enum DroppedNames {
  /// A property's flags, which sum up its other keys.
  static let compiledProperty = ["_P"]

  /// How a fetch request's memory was allocated.
  static let compiledFetchRequest = ["NSAllocationType"]

  /// A private setting of sort descriptors, always false in models.
  static let compiledSortDescriptor = ["NSReverseNullOrder"]

  /// What the model editor's objects are as UML elements, the same for all or said again by the
  /// values that Core Data adds; and the numbers by which the editor tells them apart.
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

  /// The class of the record that a sync service makes of an object; the same for all entities.
  static let sourceEntityValues = ["XD_PSK_classMapping"]

  /// Settings of the sync service that ended with macOS 10.7; Xcode drops them too.
  static let sourceUserInfo = [
    "com.apple.syncservices.AutomaticResolutionPolicy",
    "com.apple.syncservices.ExcludeFromDataChangeAlert",
  ]
}
