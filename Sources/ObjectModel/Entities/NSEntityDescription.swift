import Synchronization

/// A type of managed object: its name, class, properties and position in a hierarchy.
///
/// An entity can be changed until a coordinator uses its model. From then on it is immutable and
/// may be read from any thread.
nonisolated open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
  /// The entity's name, unique in its model.
  open var name: String? {
    willSet { willChange() }
  }

  /// Whether the entity is abstract: it has no objects of its own, and only its subentities have objects.
  open var isAbstract = false {
    willSet { willChange() }
  }

  /// The direct subentities, which inherit the entity's properties.
  ///
  /// Setting them makes this entity their `superentity`, so no model in use can contain them. A model in which an entity
  /// has more than 999 ancestors cannot be used.
  ///
  /// ```swift
  /// let animal = NSEntityDescription()
  /// animal.name = "Animal"
  /// animal.isAbstract = true
  /// let dog = NSEntityDescription()
  /// dog.name = "Dog"
  /// animal.subentities = [dog]
  /// print(dog.superentity?.name ?? "")  // Animal
  /// ```
  open var subentities: [NSEntityDescription] {
    get { storedSubentities }
    set {
      willChange()
      let kept = Set(newValue.map(ObjectIdentifier.init))
      // A subentity that has since been moved keeps its new parent.
      for entity in storedSubentities
      where entity.superentity === self && !kept.contains(ObjectIdentifier(entity)) {
        entity.superentity = nil
      }
      storedSubentities = newValue
      for entity in newValue { entity.superentity = self }
    }
  }
  private final var storedSubentities: [NSEntityDescription] = []

  /// The parent entity; nil for a root. The reference is weak: the model owns its entities.
  open package(set) var superentity: NSEntityDescription? {
    get { superentityReference.entity }
    set {
      if newValue === superentity { return }
      willChange()
      superentityReference = EntityReference(newValue)
    }
  }
  private final var superentityReference = EntityReference(nil)

  /// The properties that this entity declares, in the order of the model.
  package final var ownProperties: [NSPropertyDescription] = [] {
    willSet {
      willChange()
      ownPropertiesByName.withLock { $0 = nil }
      let kept = Set(newValue.map(ObjectIdentifier.init))
      // A property that has since been moved keeps its new owner.
      for property in ownProperties
      where property.owner === self && !kept.contains(ObjectIdentifier(property)) {
        property.owner = nil
      }
    }
    didSet {
      // A part of a model in use stays where it is, and `BelongingRules` reports it.
      for property in ownProperties where !property.isImmutable { property.owner = self }
    }
  }

  /// The entity's own properties by name. The first search creates the dictionary, and every change discards it.
  /// Several threads may search.
  final let ownPropertiesByName = Mutex<[String: NSPropertyDescription]?>(nil)

  /// The entity's indexes in the store, in the order of the model.
  open var indexes: [NSFetchIndexDescription] = [] {
    willSet { willChange() }
    didSet {
      for index in indexes where !index.isImmutable { index.entity = self }
    }
  }

  /// Groups of attributes whose combined values must be unique among the entity's objects.
  ///
  /// Each group is an array of attribute names or descriptions. The constraints of parent entities
  /// apply too; they are not repeated here.
  open var uniquenessConstraints: [[Any]] = [] {
    willSet { willChange() }
  }

  /// Groups of properties with a common index, as in models that predate fetch indexes. Each group is an array of
  /// property names or descriptions.
  open var compoundIndexes: [[Any]] = [] {
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

  /// A string that marks a change of meaning that the rest of the version hash does not reflect.
  ///
  /// ```swift
  /// let version2 = model.copy() as? NSManagedObjectModel ?? model
  /// version2.entitiesByName["Person"]?.versionHashModifier = "names are trimmed"
  /// print(version2.versionChecksum == model.versionChecksum)  // false
  /// ```
  open var versionHashModifier: String? {
    willSet { willChange() }
  }

  /// The class name exactly as it was set or read; nil if there is none.
  package final var representedClassName: String? {
    willSet { willChange() }
  }

  /// The renaming identifier that was set; nil if there is none.
  package final var explicitRenamingIdentifier: String? {
    willSet { willChange() }
  }

  /// The text of the expression whose value Spotlight displays for an object.
  package final var spotlightDisplayText: String? {
    willSet { willChange() }
  }

  /// The code generation type in the model file: `class`, `category`, or nil.
  package final var codeGenerationType: String? {
    willSet { willChange() }
  }

  /// Whether the entity takes part in syncing according to the model file; nil if the file does not specify it.
  package final var isSyncable: Bool? {
    willSet { willChange() }
  }

  /// The entity's model; nil before the entity is added to one.
  package final weak var model: NSManagedObjectModel?

  /// Whether the entity can no longer change.
  package final var isImmutable = false

  /// Holds the entity's address for references that become nil when it is deallocated (``EntityReference``).
  final let place = EntityPlace()

  /// The version hashes that were computed from the entity.
  final var dependents: VersionHashes?

  /// Called before every change to the entity except to its user info and its superentity.
  ///
  /// Stops the program if a coordinator uses the model.
  final func willChange() {
    requireMutable(isImmutable, label)
    dependents?.invalidate()
  }

  deinit {
    // This comes first, because after deallocation the address can belong to another object.
    place.clear()
    dependents?.invalidate()
    // Release a deep hierarchy iteratively: nested deinitializers would overflow the stack.
    var rest = storedSubentities
    storedSubentities = []
    while var entity = rest.popLast() {
      // An entity with further references keeps its subentities.
      guard isKnownUniquelyReferenced(&entity) else { continue }
      rest += entity.storedSubentities
      entity.storedSubentities = []
    }
  }

  /// The entity's layout, which the StoreEngine module computes once and stores here for fast access.
  @exclusivity(unchecked)
  package final var layoutReference: AnyObject?

  /// Data that is computed once when the entity becomes immutable.
  final var frozen: FrozenEntity?

  final var label: String { "entity \(name ?? "without a name")" }

  /// The entity's model.
  ///
  /// The entity must belong to a model that still exists.
  open var managedObjectModel: NSManagedObjectModel {
    guard let model else {
      stopProgram("The entity '\(name ?? "")' belongs to no model, or its model was deallocated.")
    }
    return model
  }

  /// The name of the class of the entity's objects. The default is `NSManagedObject`.
  ///
  /// A name that starts with a period refers to a class in the program's own module.
  open var managedObjectClassName: String! {
    get {
      guard let representedClassName, !representedClassName.isEmpty else {
        return "NSManagedObject"
      }
      return representedClassName
    }
    set { representedClassName = newValue }
  }

  /// The name that links the entity to its previous version in a migration. The default is the entity's name.
  open var renamingIdentifier: String? {
    get { explicitRenamingIdentifier ?? name }
    set { explicitRenamingIdentifier = newValue }
  }

  /// A digest of all settings that determine how the entity's objects are stored.
  ///
  /// It has 32 bytes. A store opens with a model whose entities have the hashes that are recorded in the store.
  ///
  /// Cost: computed once, with those of the model's other entities, and cached until a description changes. For an
  /// entity without a model, computed each time.
  open var versionHash: Data {
    frozen?.versionHash ?? model?.versionHashes.hash(of: self) ?? VersionHasher().hash(of: self)
  }

  /// Returns whether another entity, usually of another copy of the model, has the same settings and properties.
  open override func isEqual(_ object: Any?) -> Bool {
    DescriptionEquality.areEqual(self, object)
  }

  /// A hash value that is equal for equal entities.
  open override var hash: Int { name.hashValue }

  /// The name and the properties, for debugging.
  open override var description: String {
    "<NSEntityDescription: \(name ?? "(no name)") [\(properties.map(\.name).joined(separator: ", "))]>"
  }
}
