import Synchronization

/// The entities of a program's objects: the schema that stores and contexts work by.
///
/// A model is read from a file or built in code, and changed freely until a coordinator uses it; from
/// then on it is immutable, and may be read from any thread.
///
/// ```swift
/// let model = try NSManagedObjectModel(validating: url)
/// let person = model.entitiesByName["Person"]
/// ```
nonisolated open class NSManagedObjectModel: NSObject, NSCopying, NSSecureCoding,
  @unchecked Sendable
{
  /// The entities, in the order of the model file (or as set); those of a compiled model, which has
  /// no order, by name.
  ///
  /// The model keeps them. An entity belongs to one model at a time.
  ///
  /// Compared to Apple's Core Data: the order is kept; Apple promises none.
  open var entities: [NSEntityDescription] = [] {
    willSet {
      requireMutable(isImmutable)
      keptHashes.withLock { $0 = nil }
      for entity in entities where entity.model === self { entity.model = nil }
    }
    didSet {
      for entity in entities { entity.model = self }
    }
  }

  /// Texts that the model's author gave this version, such as `["3"]`.
  open var versionIdentifiers: Set<AnyHashable> = [] {
    willSet { requireMutable(isImmutable) }
  }

  /// Names of entities and properties, and error messages, for people.
  ///
  /// The keys are Apple's:
  ///
  /// - `Entity/Person`: the entity's name;
  /// - `Property/name/Entity/Person`: the name of a property of that entity and those below it;
  /// - `Property/name`: the name of a property of any other entity;
  /// - `ErrorString/The age is wrong`: the message that the model gives for a broken rule.
  ///
  /// Errors of validation use them in their descriptions.
  ///
  /// Unless it is set, it is what a file `<model>Model.strings` says that was found when the model was
  /// read: beside the model, in the folder of the best of the user's languages (`de.lproj`) or in the
  /// model's own. Writing the model does not write that.
  open var localizationDictionary: [String: String]? {
    get { explicitLocalization ?? stringsFileTexts }
    set { explicitLocalization = newValue }
  }

  /// The localization dictionary that was set, or that the model's file holds.
  package final var explicitLocalization: [String: String]? {
    willSet { requireMutable(isImmutable) }
  }

  /// What the file of localized texts beside the model's file says.
  final var stringsFileTexts: [String: String]? {
    willSet { requireMutable(isImmutable) }
  }

  /// The named groups of entities, in the order of the model file.
  package final var configurationTable: [ModelConfiguration] {
    get { heldConfigurations }
    set {
      requireMutable(isImmutable)
      heldConfigurations = newValue
    }
    // In place: with an observer, each of many additions would copy all those before it.
    _modify {
      requireMutable(isImmutable)
      yield &heldConfigurations
    }
  }
  private final var heldConfigurations: [ModelConfiguration] = []

  /// The fetch requests that the model holds, by name.
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
    // In place, as the configurations.
    _modify {
      requireMutable(isImmutable)
      settleRequests()
      yield &settledTemplates
    }
  }
  private final var settledTemplates: [String: FetchRequestTemplate] = [:]

  /// The requests that the program set or read, by name. Each has a template as well.
  private final var heldRequests: [String: HeldRequest] = [:]

  /// Returns the fetch request of a name as the model holds it; nil when there is none.
  ///
  /// Cheaper than ``fetchRequestTemplates``, which looks at all requests that the program has.
  package final func template(named name: String) -> FetchRequestTemplate? {
    guard let held = heldRequests[name] else { return settledTemplates[name] }
    return held.template(named: name, settled: settledTemplates[name])
  }

  /// The request that the program set or read under a name, whose later changes count until the model is
  /// immutable; nil when there is none.
  package final func heldRequest(named name: String) -> (any TemplateRequest)? {
    heldRequests[name]?.request
  }

  /// Holds a request that was made of the template of a name, so that its later changes count.
  package final func hold(_ request: any TemplateRequest, named name: String) {
    requireMutable(isImmutable)
    heldRequests[name] = HeldRequest(request, named: name)
  }

  /// Puts a request into the place of the one of a name; nil removes that one.
  package final func replaceRequest(named name: String, by request: (any TemplateRequest)?) {
    requireMutable(isImmutable)
    settledTemplates[name] = request?.template(named: name)
    heldRequests[name] = request.map { HeldRequest($0, named: name) }
  }

  /// Keeps the fetch requests as they are now. Later changes of the program's requests have no effect.
  private final func settleRequests() {
    guard !heldRequests.isEmpty else { return }
    settledTemplates = fetchRequestTemplates
    heldRequests = [:]
  }

  /// The groups of attributes that composite attributes refer to by name.
  package final var composites: [ModelComposite] = [] {
    willSet { requireMutable(isImmutable) }
  }

  /// What a source file says about itself; nil for models from elsewhere.
  package final var document: ModelDocument? {
    willSet { requireMutable(isImmutable) }
  }

  /// Which compiler made the file that the model was read from; nil for models from elsewhere.
  package final var compiler: ModelCompiler? {
    willSet { requireMutable(isImmutable) }
  }

  /// What a file said that was not understood, each with its place; empty for a model that was read
  /// without loss.
  package final var unrecognized: [String] = []

  /// Whether the model was read from what a compiler or a store's Core Data wrote, and not from a source.
  package final var isCompiled = false

  /// Whether the model can no longer change.
  package final var isImmutable = false

  /// What the module above works out from the model once, and which ends with it.
  package final var layoutOwner: AnyObject?

  /// An empty model, to be filled in code.
  public override init() { super.init() }

  /// Reads a model from an archive that ``encode(with:)`` made; nil, and the coder told why, for what
  /// is none.
  public required convenience init?(coder: NSCoder) {
    self.init()
    guard decode(from: coder) else { return nil }
  }

  /// True: nothing but the model's own form is read.
  open class var supportsSecureCoding: Bool { true }

  /// Writes the model into an archive.
  ///
  /// Compared to Apple's Core Data: the archive holds the model as a store keeps it, as one block of
  /// bytes, and only this library reads it. For Apple's, write a compiled model.
  open func encode(with coder: NSCoder) {
    encodeBytes(to: coder)
  }

  /// The version hashes that were computed last. Threads that only read a model share them.
  private let keptHashes = Mutex<VersionHashes?>(nil)
  private let freezing = NSLock()

  /// The version hashes of the entities, computed where none are kept or a description has changed.
  final var versionHashes: VersionHashes {
    if let kept = keptHashes.withLock({ $0 }), kept.areValid || isImmutable { return kept }
    let hashes = VersionHashes(of: self)
    hashes.watch(self)
    keptHashes.withLock { $0 = hashes }
    return hashes
  }

  /// The entities by name.
  open var entitiesByName: [String: NSEntityDescription] {
    Dictionary(
      entities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Makes the model, its entities and their properties immutable. Does nothing the second time.
  ///
  /// A coordinator calls it before it builds anything from the model.
  package final func freeze() {
    freezing.lock()
    defer { freezing.unlock() }
    guard !isImmutable else { return }
    settleRequests()
    let hashes = versionHashes
    for entity in entities {
      entity.freeze(versionHash: hashes.hash(of: entity) ?? VersionHasher().hash(of: entity))
    }
    isImmutable = true
  }

  /// Whether another model says the same, in entities, configurations, fetch requests and names. Models
  /// that were read from one file are equal. Cost: about that of both models' version hashes.
  open override func isEqual(_ object: Any?) -> Bool {
    DescriptionEquality.areEqual(self, object)
  }

  /// A number that equal models have in common.
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
  /// Whether the group is mirrored to the cloud, as the model file says.
  package var isUsedWithCloudKit = false
}

/// A named group of attributes, declared once in a model file and used by composite attributes.
package struct ModelComposite: @unchecked Sendable {
  /// The group's name.
  package var name: String
  /// The attributes, in the order of the model file.
  package var elements: [NSAttributeDescription]

  /// The group with copies of its attributes.
  func copy() -> ModelComposite {
    ModelComposite(
      name: name, elements: elements.compactMap { $0.copy() as? NSAttributeDescription })
  }
}
