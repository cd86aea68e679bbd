import Synchronization

/// The schema of a program's objects: the entities that stores and contexts use.
///
/// A model is read from a file or built in code, and can be changed until a coordinator uses it. From
/// then on it is immutable and may be read from any thread.
///
/// ```swift
/// let model = try NSManagedObjectModel(validating: url)
/// let person = model.entitiesByName["Person"]
/// ```
nonisolated open class NSManagedObjectModel: NSObject, NSCopying, NSSecureCoding,
  @unchecked Sendable
{
  /// The entities, in the order of the model file or as set. Those of a compiled model, which has no
  /// order, are sorted by name.
  ///
  /// The model owns its entities. An entity belongs to one model at a time, and to the same one from the time when a
  /// coordinator uses that model.
  ///
  /// Compared to Apple's Core Data: the order is preserved; Apple guarantees none.
  open var entities: [NSEntityDescription] = [] {
    willSet {
      requireMutable(isImmutable)
      cachedHashes.withLock { $0 = nil }
      let kept = Set(newValue.map(ObjectIdentifier.init))
      // An entity that now belongs to another model keeps that model.
      for entity in entities
      where entity.model === self && !kept.contains(ObjectIdentifier(entity)) {
        entity.model = nil
      }
    }
    didSet {
      // A part of a model in use stays where it is, and `BelongingRules` reports it.
      for entity in entities where !entity.isImmutable { entity.model = self }
    }
  }

  /// The identifiers that the modeler assigned to this version, such as `["3"]`.
  open var versionIdentifiers: Set<AnyHashable> = [] {
    willSet { requireMutable(isImmutable) }
  }

  /// Localized names of entities and properties, and localized error messages.
  ///
  /// The keys are Apple's:
  ///
  /// - `Entity/Person`: the entity's name;
  /// - `Property/name/Entity/Person`: the name of a property of that entity and its subentities;
  /// - `Property/name`: the name of a property of any other entity;
  /// - `ErrorString/The age is wrong`: the model's message for a violated validation rule.
  ///
  /// The descriptions of validation errors contain these texts.
  ///
  /// The default is the content of the file `<model>Model.strings` that was found when the model was read: in the
  /// language folder (`de.lproj`) beside the model that best matches the user's languages, otherwise directly beside
  /// the model. Written model files do not contain the default.
  ///
  /// ```swift
  /// let german = model.copy() as? NSManagedObjectModel ?? model
  /// german.localizationDictionary = [
  ///   "Entity/Person": "Person", "Property/lastName/Entity/Person": "Nachname",
  /// ]
  /// ```
  open var localizationDictionary: [String: String]? {
    get { explicitLocalization ?? stringsFileTexts }
    set { explicitLocalization = newValue }
  }

  /// The localization dictionary that was set, or that the model's file contains.
  package final var explicitLocalization: [String: String]? {
    willSet { requireMutable(isImmutable) }
  }

  /// The content of the strings file beside the model's file.
  final var stringsFileTexts: [String: String]? {
    willSet { requireMutable(isImmutable) }
  }

  /// The configurations, in the order of the model file.
  package final var configurationTable: [ModelConfiguration] {
    get { storedConfigurations }
    set {
      requireMutable(isImmutable)
      storedConfigurations = newValue
    }
    // Modify in place: with a property observer, each addition would copy the array.
    _modify {
      requireMutable(isImmutable)
      yield &storedConfigurations
    }
  }
  private final var storedConfigurations: [ModelConfiguration] = []

  /// The fetch request templates by name.
  package final var fetchRequestTemplates: [String: FetchRequestTemplate] {
    get {
      guard !heldRequests.isEmpty else { return settledTemplates }
      return settledTemplates.merging(
        heldRequests.map { name, held in
          (name, held.template(named: name, settled: settledTemplates[name]))
        },
        uniquingKeysWith: { $1 })
    }
    set {
      requireMutable(isImmutable)
      heldRequests = [:]
      settledTemplates = newValue
    }
    // Modify in place, as for the configurations.
    _modify {
      requireMutable(isImmutable)
      settleRequests()
      yield &settledTemplates
    }
  }
  private final var settledTemplates: [String: FetchRequestTemplate] = [:]

  /// The requests that the program set or obtained, by name. Each has a template as well.
  private final var heldRequests: [String: HeldRequest] = [:]

  /// Returns the fetch request template with a name; nil if there is none.
  ///
  /// Faster than ``fetchRequestTemplates``, which compares all requests that the program set or obtained.
  package final func template(named name: String) -> FetchRequestTemplate? {
    guard let held = heldRequests[name] else { return settledTemplates[name] }
    return held.template(named: name, settled: settledTemplates[name])
  }

  /// Returns the request that the program set or obtained under a name; nil if there is none. Later changes to the
  /// request also change the model, until the model becomes immutable.
  package final func heldRequest(named name: String) -> (any TemplateRequest)? {
    heldRequests[name]?.request
  }

  /// Stores a request that was created from the template with a name, so that later changes to the
  /// request also change the model.
  package final func hold(_ request: any TemplateRequest, named name: String) {
    requireMutable(isImmutable)
    heldRequests[name] = HeldRequest(request, named: name)
  }

  /// Replaces the request with a name; nil removes it.
  package final func replaceRequest(named name: String, by request: (any TemplateRequest)?) {
    requireMutable(isImmutable)
    settledTemplates[name] = request?.template(named: name)
    heldRequests[name] = request.map { HeldRequest($0, named: name) }
  }

  /// Stores the templates of the requests in their current state. Later changes to the requests have no effect.
  private final func settleRequests() {
    guard !heldRequests.isEmpty else { return }
    settledTemplates = fetchRequestTemplates
    heldRequests = [:]
  }

  /// The composites to which composite attributes refer by name.
  package final var composites: [ModelComposite] = [] {
    willSet { requireMutable(isImmutable) }
  }

  /// The editor's data in the source or JSON file from which the model was read; nil if there is none.
  package final var document: ModelDocument? {
    willSet { requireMutable(isImmutable) }
  }

  /// The compiler, according to the compiled model or JSON file from which the model was read; nil if there is none.
  package final var compiler: ModelCompiler? {
    willSet { requireMutable(isImmutable) }
  }

  /// Descriptions of the parts of a file that were not recognized, with their positions; empty for a model that was
  /// read completely.
  package final var unrecognized: [String] = []

  /// Whether the model was read from a compiled model or a store, and not from a source.
  package final var isCompiled = false

  /// Whether the model can no longer change.
  package final var isImmutable = false

  /// The model's layout, which the module StoreEngine computes once. The model owns it.
  package final var layoutOwner: AnyObject?

  /// Creates an empty model.
  public override init() { super.init() }

  /// Reads a model from an archive that ``encode(with:)`` wrote. If that fails, the result is nil, and the coder
  /// receives the error if its `decodingFailurePolicy` is `setErrorAndReturn`.
  public required convenience init?(coder: NSCoder) {
    self.init()
    guard decode(from: coder) else { return nil }
  }

  /// Always `true`: a model decodes only data and a string, whose classes are checked.
  open class var supportsSecureCoding: Bool { true }

  /// Writes the model into an archive. For a model that cannot be archived, such as one with a predicate that contains
  /// Swift code, the archive contains only the reason, and reading it fails.
  ///
  /// Compared to Apple's Core Data: the archive contains the model in the format of a store, as a single block of
  /// data, which only this library can read. For Apple's Core Data, write a compiled model.
  open func encode(with coder: NSCoder) {
    encodeBytes(to: coder)
  }

  /// The last computed version hashes. Threads that only read a model share them.
  private let cachedHashes = Mutex<VersionHashes?>(nil)
  private let freezing = NSLock()

  /// The version hashes of the entities. They are computed if they are not cached or a description has changed.
  final var versionHashes: VersionHashes {
    // The hashes of an immutable model stay correct, even if another model that shared an entity
    // invalidated them.
    if let cached = cachedHashes.withLock({ $0 }), cached.areValid || isImmutable { return cached }
    let hashes = VersionHashes(of: self)
    hashes.watch(self)
    // Computed without the lock: if two threads compute the hashes at once, the later result stays.
    cachedHashes.withLock { $0 = hashes }
    return hashes
  }

  /// The entities by name.
  open var entitiesByName: [String: NSEntityDescription] {
    Dictionary(
      entities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Makes the model, its entities and their properties immutable. Further calls do nothing.
  ///
  /// A coordinator calls this method before it builds anything from the model.
  package final func freeze() {
    // Coordinators on different threads may share the model.
    freezing.lock()
    defer { freezing.unlock() }
    guard !isImmutable else { return }
    settleRequests()
    // Compute the hashes of all entities at once, because the hash of an entity includes that of
    // its parent.
    let hashes = versionHashes
    for entity in entities {
      entity.freeze(versionHash: hashes.hash(of: entity) ?? VersionHasher().hash(of: entity))
    }
    isImmutable = true
  }

  /// Returns whether another model has equal entities, configurations, fetch requests, version identifiers and
  /// localized texts, except for the texts of strings files. Models that were read from the same file are equal.
  ///
  /// Cost: about that of computing both models' version hashes.
  open override func isEqual(_ object: Any?) -> Bool {
    DescriptionEquality.areEqual(self, object)
  }

  /// A hash value that is equal for equal models.
  open override var hash: Int { Set(entities.map(\.name)).hashValue }

  /// The names of the entities, for debugging.
  open override var description: String {
    "<NSManagedObjectModel: \(entities.map { $0.name ?? "(no name)" }.joined(separator: ", "))>"
  }
}

/// A named group of a model's entities.
package struct ModelConfiguration: Hashable, Sendable {
  /// The group's name.
  package var name: String
  /// The names of its entities, in the order of the model file.
  package var entityNames: [String]
  /// Whether the configuration is used with CloudKit, according to the model file.
  package var isUsedWithCloudKit = false
}

/// A named group of attributes, declared once in a model file and used by composite attributes.
package struct ModelComposite: @unchecked Sendable {
  /// The group's name.
  package var name: String
  /// The attributes, in the order of the model file.
  package var elements: [NSAttributeDescription]

  /// Returns the composite with copies of its attributes.
  func copy() -> ModelComposite {
    ModelComposite(
      name: name, elements: elements.compactMap { $0.copy() as? NSAttributeDescription })
  }
}
