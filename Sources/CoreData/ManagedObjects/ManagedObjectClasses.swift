import Foundation
import ObjectModel
import Predicates

/// Finds the Swift classes of entities.
///
/// A class is found by the name that the model gives, with its module (`Shop.Person`), or without
/// one when it is in the program's own module or was registered.
public enum ManagedObjectClasses {
  private static let registry = Registry()

  /// Makes classes known under their plain names, wherever they are declared.
  ///
  /// Needed for a nested or private class, and for a class of another module that the model names
  /// without it.
  public static func register(_ classes: [NSManagedObject.Type]) {
    for type in classes { registry.set(type, for: plainName(String(reflecting: type))) }
  }

  /// The class of an entity's objects: `NSManagedObject` itself when the model names none that
  /// exists.
  static func type(of entity: NSEntityDescription) -> NSManagedObject.Type {
    let name = entity.managedObjectClassName ?? ""
    if name.isEmpty || name == "NSManagedObject" { return NSManagedObject.self }
    return registry.resolve(name) { find(name) } ?? NSManagedObject.self
  }

  /// The class of a name with its module, or of one in the program's own module.
  private static func find(_ name: String) -> NSManagedObject.Type? {
    let parts = name.split(separator: ".").map(String.init)
    let program = ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
    let path = parts.count > 1 ? parts : [program] + parts
    // The name under which the runtime knows a class: its module's and its own, with lengths.
    let mangled = path.map { "\($0.utf8.count)\($0)" }.joined() + "C"
    return _typeByName(mangled) as? NSManagedObject.Type
  }

  /// Notes that a model's entities are in use, so that classes can find them.
  static func use(_ model: ModelLayout) {
    registry.add(model)
    KeyPathProbe.install()
  }

  /// An entity in use whose objects are of a class or, failing that, of one derived from it.
  static func anyEntity(of type: NSManagedObject.Type) -> NSEntityDescription? {
    registry.entities(of: type).first ?? registry.entities(derivedFrom: type).first
  }

  /// The entity that a class serves in the models in use.
  static func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
    let found = registry.entities(of: type)
    guard let entity = found.first else {
      stopProgram(
        "no entity of a model in use has the class \(type); make the container or coordinator"
          + " first, or register the class (ManagedObjectClasses.register)")
    }
    return entity
  }

  static func plainName(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }

  private final class Registry: @unchecked Sendable {
    private let lock = NSLock()
    private var types: [String: NSManagedObject.Type] = [:]
    private var resolved: [String: NSManagedObject.Type] = [:]
    private var models: [WeakModel] = []

    private struct WeakModel { weak var layout: ModelLayout? }

    func set(_ type: NSManagedObject.Type, for name: String) {
      lock.withLock {
        types[name] = type
        resolved = [:]
      }
    }

    func resolve(_ name: String, _ find: () -> NSManagedObject.Type?) -> NSManagedObject.Type? {
      lock.withLock {
        if let known = resolved[name] { return known }
        let found = types[ManagedObjectClasses.plainName(name)] ?? find()
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
