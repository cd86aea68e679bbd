import Synchronization

/// Finds the classes of migration policies by the names in mappings.
enum MigrationPolicyClasses {
  private static let registered = Mutex<[String: NSEntityMigrationPolicy.Type]>([:])

  static func register(_ classes: [NSEntityMigrationPolicy.Type]) {
    registered.withLock { table in
      for type in classes {
        let name = String(reflecting: type)
        table[name] = type
        table[ManagedObjectClasses.plainName(name)] = type
      }
    }
  }

  /// Returns the policy classes of mappings, in order.
  ///
  /// - Parameter manager: The class of the migration manager, whose module is also searched.
  /// - Throws: `NSEntityMigrationPolicyError` if a mapping refers to a class that does not exist.
  static func types(
    of mappings: [NSEntityMapping], from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel,
    managedBy manager: NSMigrationManager.Type = NSMigrationManager.self
  ) throws -> [NSEntityMigrationPolicy.Type] {
    let modules =
      [String(reflecting: manager).split(separator: ".").first.map(String.init) ?? ""]
      + modules(of: destination) + modules(of: source)
    return try mappings.map { mapping in
      guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else {
        return NSEntityMigrationPolicy.self
      }
      return try type(named: name, modules: modules, mapping: mapping)
    }
  }

  /// Returns the class with a name.
  ///
  /// - Parameter modules: Other modules in which to search for the name without its module.
  /// - Throws: `NSEntityMigrationPolicyError` if there is no such class.
  private static func type(
    named name: String, modules: [String], mapping: NSEntityMapping
  ) throws -> NSEntityMigrationPolicy.Type {
    let plain = ManagedObjectClasses.plainName(name)
    if let known = registered.withLock({ $0[name] }) { return known }
    // The module in the name may be wrong, because programs get renamed, and some mapping models
    // contain a placeholder.
    for candidate in [name, plain] + modules.map({ "\($0).\(plain)" }) {
      if let found = ClassLookup.type(named: candidate) as? NSEntityMigrationPolicy.Type {
        return found
      }
    }
    if let known = registered.withLock({ $0[plain] }) { return known }
    throw CoreDataError.make(
      NSEntityMigrationPolicyError,
      "mapping \(mapping.name ?? ""): there is no migration policy class \(name);"
        + " a class of another module, or a nested or private class, must be registered"
        + " (NSEntityMigrationPolicy.register)")
  }

  /// Returns the modules of the classes in a model.
  private static func modules(of model: NSManagedObjectModel) -> [String] {
    model.entities.compactMap { entity in
      let parts = (entity.managedObjectClassName ?? "").split(separator: ".")
      return parts.count > 1 ? String(parts[0]) : nil
    }
  }
}
