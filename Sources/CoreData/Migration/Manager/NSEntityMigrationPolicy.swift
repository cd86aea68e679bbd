/// What is done for one entity mapping of a migration. Subclass it for what expressions cannot say, and
/// name the class in `NSEntityMapping.entityMigrationPolicyClassName`.
///
/// One instance serves one mapping of one migration. In this order, each for all mappings before the next:
///
/// 1. ``begin(_:with:)``, ``createDestinationInstances(forSource:in:manager:)`` for each source object,
///    ``endInstanceCreation(forMapping:manager:)``;
/// 2. ``createRelationships(forDestination:in:manager:)`` for each associated destination object,
///    ``endRelationshipCreation(forMapping:manager:)``;
/// 3. ``performCustomValidation(forMapping:manager:)``, the model's own validation, ``end(_:manager:)``.
///
/// Objects are plain `NSManagedObject`s, whatever classes the models name: read and set them by key. What
/// a method throws ends the migration, and is what the migration throws.
///
/// Compared to Apple's Core Data: a class is found by its name with the module it is in, or without one in
/// the module of the program, of the models' classes or of the migration manager's class; register others
/// (``register(_:)``). A module name that no longer fits is left out. Methods that expressions call
/// (`FUNCTION($entityPolicy, "title:manager:", …)`) are carried out by ``value(forFunction:arguments:)``,
/// because Swift cannot call a method by its name.
nonisolated open class NSEntityMigrationPolicy: NSObject {
  /// Makes a policy; a migration does so for each of its mappings.
  public required override init() { super.init() }

  /// Makes classes known under their names, with the module and without it.
  ///
  /// Needed for a nested or private class, and for one of another module than the program's that the
  /// mapping names without it.
  public static func register(_ classes: [NSEntityMigrationPolicy.Type]) {
    MigrationPolicyClasses.register(classes)
  }

  /// Called before the first object of a mapping. Does nothing.
  open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

  /// Makes destination objects of a source object, and associates them with it
  /// (`NSMigrationManager.associate(sourceInstance:withDestinationInstance:for:)`).
  ///
  /// This makes one object of the mapping's destination entity, and gives its attributes the values of
  /// the mapping's expressions. A required attribute keeps its default where the expression gives nil;
  /// a plain `$source.key` takes values as they are stored, also those of value transformers that the
  /// program no longer has. Mappings of derived attributes are passed over: the store computes them.
  ///
  /// - Throws: `NSMigrationError` that names the mapping and the property whose expression fails, or whose
  ///   attribute does not take the value.
  open func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    guard let name = mapping.destinationEntityName, !name.isEmpty else { return }
    guard let layout = manager.destinationContext.layouts?.layout(named: name) else {
      throw MigrationErrors.mapping(mapping, "the destination has no entity \(name)")
    }
    let object = NSManagedObject(entity: layout.entity, insertInto: manager.destinationContext)
    try manager.values(for: mapping).setAttributes(of: object, from: sInstance, self, manager)
    manager.associate(sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
  }

  /// Called when all objects of a mapping were made. Does nothing.
  open func endInstanceCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Sets the relationships of a destination object.
  ///
  /// This sets those for which the mapping has an expression, `$source` being the source object that the
  /// object is associated with. An expression that gives no object leaves the relationship as it is: its
  /// other side may have set it.
  ///
  /// - Throws: `NSMigrationError` that names the mapping and the property whose expression fails.
  open func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let sources = manager.sourceInstances(
      forEntityMappingName: mapping.name ?? "", destinationInstances: [dInstance])
    guard let source = sources.first else { return }
    try manager.values(for: mapping).setRelationships(of: dInstance, from: source, self, manager)
  }

  /// Called when the relationships of all objects of a mapping were set. Does nothing.
  open func endRelationshipCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Called before the model's own rules are checked for the objects of a mapping. Does nothing.
  open func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Called when a mapping is finished. Does nothing.
  open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Carries out a function that an expression of the mapping calls:
  /// `FUNCTION($entityPolicy, "title:manager:", $source.title, $manager)`.
  ///
  /// ```swift
  /// final class TitlePolicy: NSEntityMigrationPolicy {
  ///   override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
  ///     switch selector {
  ///     case "title:manager:": (arguments[0] as? String)?.uppercased()
  ///     default: try super.value(forFunction: selector, arguments: arguments)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Throws: for a function that the class does not know.
  ///
  /// Compared to Apple's Core Data: new. There, a method of this selector is called.
  open func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
    throw MigrationErrors.unknownFunction(selector, of: self)
  }
}

extension NSEntityMigrationPolicy: MessageReceiving {
  package func answer(to selector: String, arguments: [Any?]) throws -> MessageAnswer? {
    MessageAnswer(try value(forFunction: selector, arguments: arguments))
  }
}
