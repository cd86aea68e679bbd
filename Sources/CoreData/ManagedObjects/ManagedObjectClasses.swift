/// Finds the Swift classes of entities.
///
/// A model contains a class's name with its module (`Shop.Person`) or without one (`Person`, or `.Person` as
/// Xcode writes it). The lookup tries, in this order: a class registered under the name in the
/// model; the program's class of that name; a class registered with the same name in another
/// module; and for a name without a module, the only class of that name in the program.
///
/// Objects of an entity whose class is not found are plain `NSManagedObject`s, as on Apple's
/// platforms, and the log reports the class.
public enum ManagedObjectClasses {
  private static let registry = Registry()

  /// Registers classes under their names with and without the module, wherever they are declared.
  ///
  /// Required for nested and private classes, and if several modules have a class that the model refers to without its
  /// module. Of several classes with the same plain name, the last registered one is found.
  public static func register(_ classes: [NSManagedObject.Type]) {
    for type in classes { registry.set(type) }
  }

  /// Returns the name by which a class is found, and registers the class if that is necessary.
  static func name(of type: NSManagedObject.Type) -> String {
    let name = String(reflecting: type)
    let plain = writtenName(of: type)
    // `NSClassFromString` finds a class that is declared at the top level of its module.
    if name.split(separator: ".").count == 2, plain == name { return name }
    return registry.register(type, as: plain, or: name)
  }

  /// Returns the name of a class as written in the source. Removes the position of a private or
  /// local class: `Shop.(unknown context at $1234).Person`.
  static func writtenName(of type: AnyClass) -> String {
    String(reflecting: type).split(separator: ".")
      .filter { !$0.contains("(") && !$0.contains(")") }.joined(separator: ".")
  }

  /// Returns the class of an entity's objects: `NSManagedObject` if the class in the model does not exist.
  static func type(of entity: NSEntityDescription) -> NSManagedObject.Type {
    guard let name = className(of: entity) else { return NSManagedObject.self }
    return registry.resolve(name) ?? NSManagedObject.self
  }

  /// Logs, in one line, the classes of a model that do not exist.
  static func reportMissingClasses(of model: NSManagedObjectModel) {
    let missing = model.entities.compactMap { entity -> String? in
      guard let name = className(of: entity), registry.resolve(name) == nil else { return nil }
      return "\(name) (\(entity.name ?? ""))"
    }
    guard !missing.isEmpty else { return }
    Log.modelNotice(
      "cannot find classes of the model; objects of their entities are plain"
        + " NSManagedObjects: \(missing.joined(separator: ", "))")
  }

  /// Returns the class name in the model; nil for `NSManagedObject`.
  private static func className(of entity: NSEntityDescription) -> String? {
    let name = entity.managedObjectClassName ?? ""
    return name.isEmpty || name == "NSManagedObject" ? nil : name
  }

  /// Registers a model in use, so that classes can find their entities.
  static func use(_ model: ModelLayout) {
    registry.add(model)
    KeyPathProbe.install()
  }

  /// Returns the entities in use with a class or, if there are none, with a subclass of it; those
  /// of the newest model first. Each version of a model has its own entity.
  static func entitiesInUse(of type: NSManagedObject.Type) -> [NSEntityDescription] {
    let own = registry.entities(of: type)
    return own.isEmpty ? registry.entities(derivedFrom: type) : own
  }

  /// Returns the entity that uses a class in the models in use. Stops the program if there is none.
  static func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
    if let entity = registeredEntity(of: type) { return entity }
    stopProgram(noEntity(of: type))
  }

  /// Returns the entity that uses a class in the models in use, or nil.
  static func registeredEntity(of type: NSManagedObject.Type) -> NSEntityDescription? {
    registry.entities(of: type).first
  }

  /// Returns the message that no entity uses a class, with the remedies.
  static func noEntity(of type: NSManagedObject.Type) -> String {
    "no entity of a model in use has the class \(type); create the container or coordinator first,"
      + " or register the class (ManagedObjectClasses.register)"
  }

  static func plainName(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }

  private final class Registry: @unchecked Sendable {
    private let lock = NSLock()
    /// The registered classes by their names with and without the module.
    private var types: [String: NSManagedObject.Type] = [:]
    private var resolved: [String: NSManagedObject.Type] = [:]
    private var models: [WeakModel] = []

    private struct WeakModel { weak var layout: ModelLayout? }

    func set(_ type: NSManagedObject.Type) {
      let name = String(reflecting: type)
      lock.withLock {
        types[name] = type
        types[ManagedObjectClasses.plainName(name)] = type
        // A registered class takes precedence, so it may replace what any name was resolved to.
        resolved = [:]
      }
    }

    /// Registers a class under a name, or under the other name if the first is that of another class. Returns the
    /// name.
    func register(_ type: NSManagedObject.Type, as name: String, or other: String) -> String {
      lock.withLock {
        let known = lockedResolve(name)
        let free = known == nil || known == type ? name : other
        types[free] = type
        resolved = [:]
        return free
      }
    }

    func resolve(_ name: String) -> NSManagedObject.Type? {
      lock.withLock { lockedResolve(name) }
    }

    private func lockedResolve(_ name: String) -> NSManagedObject.Type? {
      if let known = resolved[name] { return known }
      let found =
        types[name] ?? ClassLookup.type(named: name) as? NSManagedObject.Type
        ?? types[ManagedObjectClasses.plainName(name)]
        ?? ClassLookup.onlyType(named: name) as? NSManagedObject.Type
      if let found { resolved[name] = found }
      return found
    }

    func add(_ model: ModelLayout) {
      lock.withLock {
        models.removeAll { $0.layout == nil || $0.layout === model }
        models.append(WeakModel(layout: model))
      }
    }

    /// Returns the entities with this class in the models in use, those of the newest model first.
    func entities(of type: NSManagedObject.Type) -> [NSEntityDescription] {
      entities { $0 == type }
    }

    /// Returns the entities with a subclass of this class in the models in use.
    func entities(derivedFrom type: NSManagedObject.Type) -> [NSEntityDescription] {
      entities { $0 != type && $0.isSubclass(of: type) }
    }

    private func entities(_ isWanted: (NSManagedObject.Type) -> Bool) -> [NSEntityDescription] {
      let layouts = lock.withLock { models.compactMap(\.layout) }
      // The classes are resolved outside the lock, because `type(of:)` acquires it.
      return layouts.reversed().flatMap { model in
        model.entities.map(\.entity).filter { isWanted(ManagedObjectClasses.type(of: $0)) }
      }
    }
  }
}
