import Synchronization

/// A kind of managed object: its name, its class, its properties and its place in a hierarchy.
///
/// An entity is built and changed freely until its model is used by a coordinator; from then on it is
/// immutable, and may be read from any thread.
nonisolated open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
  /// The entity's name, unique in its model.
  open var name: String? {
    willSet { willChange() }
  }

  /// Whether no object is of this entity itself, only of the entities below it.
  open var isAbstract = false {
    willSet { willChange() }
  }

  /// The entities directly below this one, which inherit its properties.
  ///
  /// Setting them makes this entity their `superentity`. A model in which more than 999 entities are above one cannot
  /// be used.
  open var subentities: [NSEntityDescription] {
    get { heldSubentities }
    set {
      willChange()
      for entity in heldSubentities where entity.superentity === self { entity.superentity = nil }
      heldSubentities = newValue
      for entity in newValue { entity.superentity = self }
    }
  }
  private final var heldSubentities: [NSEntityDescription] = []

  /// The entity directly above, or nil for a root. Weak: the model keeps its entities.
  open package(set) var superentity: NSEntityDescription? {
    get { superentityReference.entity }
    set {
      dependents?.invalidate()
      superentityReference = EntityReference(newValue)
    }
  }
  private final var superentityReference = EntityReference(nil)

  /// The properties that this entity declares itself, in the order of the model.
  package final var ownProperties: [NSPropertyDescription] = [] {
    willSet {
      willChange()
      ownPropertiesByName.withLock { $0 = nil }
      for property in ownProperties where property.owner === self { property.owner = nil }
    }
    didSet {
      for property in ownProperties { property.owner = self }
    }
  }

  /// The own properties by name, made by the first search and dropped by the next change; several threads may search.
  final let ownPropertiesByName = Mutex<[String: NSPropertyDescription]?>(nil)

  /// The indexes that the store keeps for the entity, in the order of the model.
  open var indexes: [NSFetchIndexDescription] = [] {
    willSet { willChange() }
    didSet {
      for index in indexes { index.entity = self }
    }
  }

  /// Groups of attributes whose values together are different for each object.
  ///
  /// Each group is an array of attribute names or descriptions. The groups of the entities above
  /// hold as well; they are not repeated here.
  open var uniquenessConstraints: [[Any]] = [] {
    willSet { willChange() }
  }

  /// Groups of property names that want a common index: the form of models before fetch indexes.
  open var compoundIndexes: [[Any]] = [] {
    willSet { willChange() }
  }

  /// What the model's author noted with the entity.
  ///
  /// It is no part of the version, and may be changed while the model is in use, as programs do for fetched
  /// properties whose predicates refer to it; by one thread, while no other reads it. Numbers read back as `NSNumber`s.
  open var userInfo: [AnyHashable: Any]? = [:] {
    didSet { userInfo = BridgedValue.bridgedDictionary(userInfo) }
  }

  /// A text that marks a change of meaning which the rest of the version hash cannot show.
  open var versionHashModifier: String? {
    willSet { willChange() }
  }

  /// The class name that was set or read, exactly; nil where none was.
  package final var representedClassName: String? {
    willSet { willChange() }
  }

  /// The renaming identifier that was set, or nil where none was.
  package final var explicitRenamingIdentifier: String? {
    willSet { willChange() }
  }

  /// The text of the expression whose value Spotlight shows for an object.
  package final var spotlightDisplayText: String? {
    willSet { willChange() }
  }

  /// What the model file says about the generation of classes: `class`, `category`, or nil.
  package final var codeGenerationType: String? {
    willSet { willChange() }
  }

  /// Whether the entity takes part in syncing, as the model file says; nil where it does not say.
  package final var isSyncable: Bool? {
    willSet { willChange() }
  }

  /// The model that the entity belongs to, or nil before it belongs to one.
  package final weak var model: NSManagedObjectModel?

  /// Whether the entity can no longer change.
  package final var isImmutable = false

  /// What references lead through that do not hold the entity.
  final let place = EntityPlace()

  /// The version hashes that were computed from the entity.
  final var dependents: VersionHashes?

  /// Every change of what a model says about the entity comes through here first.
  ///
  /// Stops the program where a coordinator uses the model.
  final func willChange() {
    requireMutable(isImmutable, label)
    dependents?.invalidate()
  }

  deinit {
    place.entityIsGone()
    dependents?.invalidate()
    // A hierarchy may be deeper than the stack has room for the ends of its entities within one another.
    var rest = heldSubentities
    heldSubentities = []
    while var entity = rest.popLast() {
      guard isKnownUniquelyReferenced(&entity) else { continue }
      rest += entity.heldSubentities
      entity.heldSubentities = []
    }
  }

  /// What the module above works out from the entity once, kept here to be found without a search.
  @exclusivity(unchecked)
  package final var layoutReference: AnyObject?

  /// What is worked out once when the entity becomes immutable.
  final var frozen: FrozenEntity?

  final var label: String { "entity \(name ?? "without a name")" }

  /// The model that the entity belongs to.
  ///
  /// The entity must belong to a model that is still alive.
  open var managedObjectModel: NSManagedObjectModel {
    guard let model else {
      stopProgram("The entity '\(name ?? "")' belongs to no model (any more).")
    }
    return model
  }

  /// The name of the class of the entity's objects; `NSManagedObject` unless set.
  ///
  /// A name that starts with a full stop means the class of that name in the program's own module.
  open var managedObjectClassName: String! {
    get {
      guard let representedClassName, !representedClassName.isEmpty else {
        return "NSManagedObject"
      }
      return representedClassName
    }
    set { representedClassName = newValue }
  }

  /// The name that links the entity to its older self in a migration; the name unless set.
  open var renamingIdentifier: String? {
    get { explicitRenamingIdentifier ?? name }
    set { explicitRenamingIdentifier = newValue }
  }

  /// A digest of everything that decides how the entity's objects are stored.
  ///
  /// 32 bytes. A store opens with a model whose entities have the hashes that the store has noted.
  ///
  /// Cost: computed once, with those of the model's other entities, and kept until a description changes.
  open var versionHash: Data {
    frozen?.versionHash ?? model?.versionHashes.hash(of: self) ?? VersionHasher().hash(of: self)
  }

  /// Whether another entity, as a rule of another copy of the model, says the same in everything,
  /// properties included.
  open override func isEqual(_ object: Any?) -> Bool {
    DescriptionEquality.areEqual(self, object)
  }

  /// A number that equal entities have in common.
  open override var hash: Int { name.hashValue }

  /// The name and the properties, for debugging.
  open override var description: String {
    "<NSEntityDescription: \(name ?? "(no name)") [\(properties.map(\.name).joined(separator: ", "))]>"
  }
}
