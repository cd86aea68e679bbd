import Synchronization

/// A property of an entity: the common part of attributes, relationships and fetched properties.
///
/// A description can be changed until a coordinator uses its model. From then on
/// it is immutable and may be read from any thread.
nonisolated open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
  /// The property's name, unique in its entity and that entity's ancestors.
  open var name: String = "" {
    willSet {
      willChange()
      // The owner's dictionary has the old name as a key.
      owner?.ownPropertiesByName.withLock { $0 = nil }
    }
  }

  /// Whether the property may be nil (or empty) when its object is saved. The default is `true`.
  open var isOptional = true {
    willSet { willChange() }
  }

  /// Whether changes to the property are tracked but never stored.
  open var isTransient = false {
    willSet { willChange() }
  }

  /// The user info from the model editor.
  ///
  /// It is not part of the version hash, and may be changed while the model is in use, as programs do for fetched
  /// properties whose predicates refer to it. While one thread changes it, no other thread may read it. Numbers
  /// are returned as `NSNumber`.
  open var userInfo: [AnyHashable: Any]? = [:] {
    didSet { userInfo = BridgedValue.bridgedDictionary(userInfo) }
  }

  /// Whether the property has its own index, as in models that predate fetch indexes.
  open var isIndexed = false {
    willSet { willChange() }
  }

  /// Whether Spotlight indexes the property. The model file keeps this setting, but it has no effect here.
  open var isIndexedBySpotlight = false {
    willSet { willChange() }
  }

  /// Whether the property is written to external record files. The model file keeps this setting, but it has no effect
  /// here.
  open var isStoredInExternalRecord = false {
    willSet { willChange() }
  }

  /// A string that marks a change of meaning that the rest of the version hash does not reflect.
  open var versionHashModifier: String? {
    willSet { willChange() }
  }

  /// The renaming identifier that was set; nil if there is none.
  package final var explicitRenamingIdentifier: String? {
    willSet { willChange() }
  }

  /// Whether the property takes part in syncing according to the model file; nil if the file does not specify it.
  package final var isSyncable: Bool? {
    willSet { willChange() }
  }

  /// The validation rules, in the order of the model.
  package final var validationRules: [ValidationRule] = [] {
    willSet { willChange() }
  }

  /// The entity that declares the property; nil before the property is added to one.
  package final var owner: NSEntityDescription? {
    get { ownerReference.entity }
    set { ownerReference = EntityReference(newValue) }
  }
  private final var ownerReference = EntityReference(nil)

  final var label: String { "property \(owner?.name ?? "").\(name)" }

  /// The version hashes that were computed from the property.
  final var dependents: VersionHashes?

  /// Called before every change to the property except to its user info and its owner.
  ///
  /// Stops the program if a coordinator uses the model.
  final func willChange() {
    requireMutable(isImmutable, label)
    dependents?.invalidate()
  }

  /// Whether the property can no longer change.
  package final var isImmutable = false

  /// The entity that declares the property.
  ///
  /// Compared to Apple's Core Data: for an inherited property, this is always the entity that
  /// declares it, regardless of the entity from which it was obtained. For a property without an
  /// entity, or whose entity was deallocated, this is an entity without a name or properties;
  /// Apple's property is nil despite its non-optional type.
  open var entity: NSEntityDescription { owner ?? NSEntityDescription() }

  /// The name that links the property to its previous version in a migration. The default is the property's name.
  open var renamingIdentifier: String? {
    get { explicitRenamingIdentifier ?? name }
    set { explicitRenamingIdentifier = newValue }
  }

  /// A digest of all settings that determine how the property is stored.
  ///
  /// It has 32 bytes. No migration is needed between two properties with equal hashes.
  open var versionHash: Data {
    VersionHasher().hash(of: self)
  }

  /// Returns a mutable copy that belongs to no entity.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPropertyDescription()
    copyState(to: copy)
    return copy
  }

  /// Copies all state of this class except the owner to another property.
  final func copyState(to other: NSPropertyDescription) {
    other.name = name
    other.isOptional = isOptional
    other.isTransient = isTransient
    other.userInfo = userInfo
    other.isIndexed = isIndexed
    other.isIndexedBySpotlight = isIndexedBySpotlight
    other.isStoredInExternalRecord = isStoredInExternalRecord
    other.versionHashModifier = versionHashModifier
    other.explicitRenamingIdentifier = explicitRenamingIdentifier
    other.isSyncable = isSyncable
    other.validationRules = validationRules
  }

  /// Returns whether another property has the same settings and belongs to an entity with the same name.
  open override func isEqual(_ object: Any?) -> Bool {
    DescriptionEquality.areEqual(self, object)
  }

  /// A hash value that is equal for equal properties.
  open override var hash: Int { name.hashValue }

  /// The class, the name and the entity, for debugging.
  open override var description: String {
    "<\(Self.self): \(owner?.name ?? "(no entity)").\(name)>"
  }
}
