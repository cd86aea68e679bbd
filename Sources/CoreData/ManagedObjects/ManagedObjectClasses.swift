/// Finds the Swift classes of entities.
///
/// A class is found by the name that the model gives: with its module (`Shop.Person`), or without one
/// (`Person`, or `.Person` as Xcode writes it) when it is in the program's own module or was
/// registered. A class that was registered under its whole name comes first, then the class of that
/// name in the program, then one that was registered and has the same name in another module, and for a name
/// without a module the only class of that name anywhere in the program.
///
/// An entity whose class is not found has plain `NSManagedObject`s, and the log says so, as on Apple's
/// platforms.
public enum ManagedObjectClasses {
  private static let registry = Registry()

  /// Makes classes known under their names, with the module and without it, wherever they are
  /// declared.
  ///
  /// Needed for a nested or private class, and where several modules have a class that the model names
  /// without its module. Of several classes with the same plain name the last one is found by it.
  public static func register(_ classes: [NSManagedObject.Type]) {
    for type in classes { registry.set(type) }
  }

  /// The name by which a class is found, for which it is registered where it must be.
  static func name(of type: NSManagedObject.Type) -> String {
    let name = String(reflecting: type)
    let plain = writtenName(of: type)
    if name.split(separator: ".").count == 2, plain == name { return name }
    return registry.register(type, as: plain, or: name)
  }

  /// The name of a class as it is written; without the place of one that its file or a function alone sees:
  /// `Shop.(unknown context at $1234).Person`.
  static func writtenName(of type: AnyClass) -> String {
    String(reflecting: type).split(separator: ".")
      .filter { !$0.contains("(") && !$0.contains(")") }.joined(separator: ".")
  }

  /// The class of an entity's objects: `NSManagedObject` itself when the model names none that
  /// exists.
  static func type(of entity: NSEntityDescription) -> NSManagedObject.Type {
    guard let name = className(of: entity) else { return NSManagedObject.self }
    return registry.resolve(name) ?? NSManagedObject.self
  }

  /// Logs, in one line, which classes that a model names are not there.
  static func reportMissingClasses(of model: NSManagedObjectModel) {
    let missing = model.entities.compactMap { entity -> String? in
      guard let name = className(of: entity), registry.resolve(name) == nil else { return nil }
      return "\(name) (\(entity.name ?? ""))"
    }
    guard !missing.isEmpty else { return }
    Log.modelNotice(
      "Classes that the model names are not found; objects of their entities are plain"
        + " NSManagedObjects: \(missing.joined(separator: ", "))")
  }

  /// The name of the class that the model gives; nil for `NSManagedObject`.
  private static func className(of entity: NSEntityDescription) -> String? {
    let name = entity.managedObjectClassName ?? ""
    return name.isEmpty || name == "NSManagedObject" ? nil : name
  }

  /// Notes that a model's entities are in use, so that classes can find them.
  static func use(_ model: ModelLayout) {
    registry.add(model)
    KeyPathProbe.install()
  }

  /// The entities in use whose objects are of a class or, failing that, of one derived from it; those of the
  /// newest model first. Versions of a model have one each.
  static func entitiesInUse(of type: NSManagedObject.Type) -> [NSEntityDescription] {
    let own = registry.entities(of: type)
    return own.isEmpty ? registry.entities(derivedFrom: type) : own
  }

  /// The entity that a class serves in the models in use.
  static func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
    if let entity = registeredEntity(of: type) { return entity }
    stopProgram(noEntity(of: type))
  }

  /// The entity that a class serves in the models in use; nil when there is none.
  static func registeredEntity(of type: NSManagedObject.Type) -> NSEntityDescription? {
    registry.entities(of: type).first
  }

  /// Says that a class serves no entity, and what helps.
  static func noEntity(of type: NSManagedObject.Type) -> String {
    "no entity of a model in use has the class \(type); make the container or coordinator first, or"
      + " register the class (ManagedObjectClasses.register)"
  }

  static func plainName(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }

  private final class Registry: @unchecked Sendable {
    private let lock = NSLock()
    /// By the name with the module, and by the name alone.
    private var types: [String: NSManagedObject.Type] = [:]
    private var resolved: [String: NSManagedObject.Type] = [:]
    private var models: [WeakModel] = []

    private struct WeakModel { weak var layout: ModelLayout? }

    func set(_ type: NSManagedObject.Type) {
      let name = String(reflecting: type)
      lock.withLock {
        types[name] = type
        types[ManagedObjectClasses.plainName(name)] = type
        resolved = [:]
      }
    }

    /// Makes a class known by the first of two names that no other class has.
    func register(_ type: NSManagedObject.Type, as name: String, or other: String) -> String {
      let known = resolve(name)
      let free = known == nil || known == type ? name : other
      lock.withLock {
        types[free] = type
        resolved = [:]
      }
      return free
    }

    func resolve(_ name: String) -> NSManagedObject.Type? {
      lock.withLock {
        if let known = resolved[name] { return known }
        let found =
          types[name] ?? ClassLookup.type(named: name) as? NSManagedObject.Type
          ?? types[ManagedObjectClasses.plainName(name)]
          ?? ClassLookup.onlyType(named: name) as? NSManagedObject.Type
        if let found { resolved[name] = found }
        return found
      }
    }

    func add(_ model: ModelLayout) {
      lock.withLock {
        models.removeAll { $0.layout == nil || $0.layout === model }
        models.append(WeakModel(layout: model))
      }
    }

    /// The entities of the models in use whose class this is, those of the newest model first.
    func entities(of type: NSManagedObject.Type) -> [NSEntityDescription] {
      entities { $0 == type }
    }

    /// The entities of the models in use whose class has this one above it.
    func entities(derivedFrom type: NSManagedObject.Type) -> [NSEntityDescription] {
      entities { $0 != type && $0.isSubclass(of: type) }
    }

    private func entities(_ isWanted: (NSManagedObject.Type) -> Bool) -> [NSEntityDescription] {
      let layouts = lock.withLock { models.compactMap(\.layout) }
      return layouts.reversed().flatMap { model in
        model.entities.map(\.entity).filter { isWanted(ManagedObjectClasses.type(of: $0)) }
      }
    }
  }
}
