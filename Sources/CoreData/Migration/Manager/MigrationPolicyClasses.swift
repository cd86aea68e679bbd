import Synchronization

/// Finds the classes of migration policies by the names that mappings give.
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

  /// The classes of the policies of mappings, in their order.
  ///
  /// - Parameter manager: the class of the migration manager, whose module is looked through, too.
  /// - Throws: `NSEntityMigrationPolicyError` for a name of no class.
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

  /// The class of a name.
  ///
  /// A module that is named and not there any more is passed over: mappings outlive the names of
  /// programs, and some are written with a stand-in.
  ///
  /// - Parameter modules: where a class without a module may be, beside the program's own.
  /// - Throws: `NSEntityMigrationPolicyError` where there is none.
  private static func type(
    named name: String, modules: [String], mapping: NSEntityMapping
  ) throws -> NSEntityMigrationPolicy.Type {
    let plain = ManagedObjectClasses.plainName(name)
    if let known = registered.withLock({ $0[name] }) { return known }
    for candidate in [name, plain] + modules.map({ "\($0).\(plain)" }) {
      if let found = ClassLookup.type(named: candidate) as? NSEntityMigrationPolicy.Type {
        return found
      }
    }
    if let known = registered.withLock({ $0[plain] }) { return known }
    throw CoreDataError.make(
      NSEntityMigrationPolicyError,
      "mapping \(mapping.name ?? ""): there is no migration policy of the class \(name);"
        + " a class of another module, or a nested or private one, has to be registered"
        + " (NSEntityMigrationPolicy.register)")
  }

  /// The modules of the classes that a model names.
  private static func modules(of model: NSManagedObjectModel) -> [String] {
    model.entities.compactMap { entity in
      let parts = (entity.managedObjectClassName ?? "").split(separator: ".")
      return parts.count > 1 ? String(parts[0]) : nil
    }
  }
}
