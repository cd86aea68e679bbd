import Synchronization

/// A property of an entity: what attributes, relationships and fetched properties have in common.
///
/// A description is built and changed freely until its model is used by a coordinator; from then on
/// it is immutable, and may be read from any thread.
nonisolated open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
  /// The property's name, unique in its entity and the entities above it.
  open var name: String = "" {
    willSet {
      willChange()
      owner?.ownPropertiesByName.withLock { $0 = nil }
    }
  }

  /// Whether the property may be nil (or empty) when its object is saved. True unless set.
  open var isOptional = true {
    willSet { willChange() }
  }

  /// Whether the property is tracked but never stored.
  open var isTransient = false {
    willSet { willChange() }
  }

  /// What the model's author noted with the property.
  ///
  /// It is no part of the version, and may be changed while the model is in use, as programs do for fetched
  /// properties whose predicates refer to it; by one thread, while no other reads it. Numbers read back as `NSNumber`s.
  open var userInfo: [AnyHashable: Any]? = [:] {
    didSet { userInfo = BridgedValue.bridgedDictionary(userInfo) }
  }

  /// Whether the property wants an index of its own: the form of models before fetch indexes.
  open var isIndexed = false {
    willSet { willChange() }
  }

  /// Whether the property is meant for Spotlight's index. Kept, and used by nothing here.
  open var isIndexedBySpotlight = false {
    willSet { willChange() }
  }

  /// Whether the property is written to external record files. Kept, and used by nothing here.
  open var isStoredInExternalRecord = false {
    willSet { willChange() }
  }

  /// A text that marks a change of meaning which the rest of the version hash cannot show.
  open var versionHashModifier: String? {
    willSet { willChange() }
  }

  /// The renaming identifier that was set, or nil where none was.
  package final var explicitRenamingIdentifier: String? {
    willSet { willChange() }
  }

  /// Whether the property takes part in syncing, as the model file says; nil where it does not say.
  package final var isSyncable: Bool? {
    willSet { willChange() }
  }

  /// The rules for the property's values, in the order of the model.
  package final var validationRules: [ValidationRule] = [] {
    willSet { willChange() }
  }

  /// The entity that declares the property, or nil before the property belongs to one.
  package final var owner: NSEntityDescription? {
    get { ownerReference.entity }
    set { ownerReference = EntityReference(newValue) }
  }
  private final var ownerReference = EntityReference(nil)

  final var label: String { "property \(owner?.name ?? "").\(name)" }

  /// The version hashes that were computed from the property.
  final var dependents: VersionHashes?

  /// Every change of what a model says about the property comes through here first.
  ///
  /// Stops the program where a coordinator uses the model.
  final func willChange() {
    requireMutable(isImmutable, label)
    dependents?.invalidate()
  }

  /// Whether the property can no longer change.
  package final var isImmutable = false

  /// The entity that declares the property.
  ///
  /// Compared to Apple's Core Data: asking an inherited property gives the entity that declares it,
  /// whichever entity it was taken from. A property that belongs to none, or to one that is gone, gives an entity
  /// without name and properties, where Apple's type promises one and gives nil.
  open var entity: NSEntityDescription { owner ?? NSEntityDescription() }

  /// The name that links the property to its older self in a migration; the name unless set.
  open var renamingIdentifier: String? {
    get { explicitRenamingIdentifier ?? name }
    set { explicitRenamingIdentifier = newValue }
  }

  /// A digest of everything that decides how the property is stored.
  ///
  /// 32 bytes. Two properties with equal hashes need no migration between them.
  open var versionHash: Data {
    VersionHasher().hash(of: self)
  }

  /// A mutable copy that belongs to no entity.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPropertyDescription()
    copyState(to: copy)
    return copy
  }

  /// Gives another property everything that this class keeps, but not the owner.
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

  /// Whether another property of an entity of the same name says the same in everything.
  open override func isEqual(_ object: Any?) -> Bool {
    DescriptionEquality.areEqual(self, object)
  }

  /// A number that equal properties have in common.
  open override var hash: Int { name.hashValue }

  /// The class, the name and the entity, for debugging.
  open override var description: String {
    "<\(Self.self): \(owner?.name ?? "(no entity)").\(name)>"
  }
}
