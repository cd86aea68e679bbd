/// Carries out an entity mapping in a migration. Subclass it for what expressions cannot describe, and set
/// `NSEntityMapping.entityMigrationPolicyClassName` to the name of the class.
///
/// An instance belongs to one mapping in one migration. Its methods are called in this order, each step for all
/// mappings before the next one:
///
/// 1. ``begin(_:with:)``, ``createDestinationInstances(forSource:in:manager:)`` for each source object,
///    ``endInstanceCreation(forMapping:manager:)``;
/// 2. ``createRelationships(forDestination:in:manager:)`` for each associated destination object,
///    ``endRelationshipCreation(forMapping:manager:)``;
/// 3. ``performCustomValidation(forMapping:manager:)``, the model's own validation, ``end(_:manager:)``.
///
/// Objects are plain `NSManagedObject`s, whatever classes the models name, so use key-value coding. If a method
/// throws an error, the migration ends and throws the same error.
///
/// Compared to Apple's Core Data: a class is found by its full name, including the module. If the name has no module,
/// or one that no longer matches, the class is searched for in the modules of the program, of the models' classes and
/// of the migration manager's class. Register other classes (``register(_:)``). Functions that expressions call
/// (`FUNCTION($entityPolicy, "title:manager:", …)`) are implemented in ``value(forFunction:arguments:)``, because
/// Swift cannot call a method by its name.
///
/// ```swift
/// final class CountingPolicy: NSEntityMigrationPolicy {
///   private var count = 0
///
///   override func createDestinationInstances(
///     forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
///   ) throws {
///     try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
///     count += 1
///   }
///   override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
///     print(mapping.name ?? "", count)
///   }
/// }
/// ```
nonisolated open class NSEntityMigrationPolicy: NSObject {
  /// Creates a policy. A migration creates one for each of its mappings.
  public required override init() { super.init() }

  /// Registers classes by their names, with and without the module.
  ///
  /// Required for nested and private classes, and for a class that the mapping refers to without its module if the
  /// class is in none of the modules in which the library searches for it (see ``NSEntityMigrationPolicy``).
  ///
  /// ```swift
  /// final class TeamPolicy: NSEntityMigrationPolicy {}
  /// NSEntityMigrationPolicy.register([TeamPolicy.self])
  /// let mapping = NSEntityMapping()
  /// mapping.entityMigrationPolicyClassName = "TeamPolicy"
  /// ```
  public static func register(_ classes: [NSEntityMigrationPolicy.Type]) {
    MigrationPolicyClasses.register(classes)
  }

  /// Called before the first object of a mapping is created. The default implementation does nothing.
  open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

  /// Creates destination objects for a source object, and associates them with it
  /// (`NSMigrationManager.associate(sourceInstance:withDestinationInstance:for:)`).
  ///
  /// The default implementation creates one object of the mapping's destination entity, and sets its attributes to
  /// the values of the mapping's expressions. A required attribute keeps its default value if the expression returns
  /// nil. A plain `$source.key` copies values as they are stored, so value transformers that the program no longer
  /// contains are not needed. Mappings of derived attributes are ignored, because the store computes their values.
  ///
  /// - Throws: `NSMigrationError` with the name of the mapping, if the destination does not contain the entity, and
  ///   with the names of the mapping and the property, if the expression fails or the value is not valid for the
  ///   attribute; the errors of the program's functions in expressions.
  ///
  /// ```swift
  /// final class AdultsPolicy: NSEntityMigrationPolicy {
  ///   override func createDestinationInstances(
  ///     forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ///   ) throws {
  ///     guard let age = sInstance.value(forKey: "age") as? Int, age >= 18 else { return }
  ///     try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
  ///   }
  /// }
  /// ```
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

  /// Called after all objects of a mapping have been created. The default implementation does nothing.
  ///
  /// ```swift
  /// final class TeamPolicy: NSEntityMigrationPolicy {
  ///   override func endInstanceCreation(
  ///     forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ///   ) throws {
  ///     let others = NSEntityDescription.insertNewObject(
  ///       forEntityName: "Team", into: manager.destinationContext)
  ///     others.setValue("Others", forKey: "name")
  ///   }
  /// }
  /// ```
  open func endInstanceCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Sets the relationships of a destination object.
  ///
  /// The default implementation sets the relationships for which the mapping has an expression. `$source` is the
  /// source object that is associated with the destination object. If an expression returns no object, the
  /// relationship is not changed, because setting its inverse may have set it.
  ///
  /// - Throws: `NSMigrationError` with the names of the mapping and the property, if the expression fails or returns a
  ///   value that is neither nil nor objects of the relationship's destination entity; the errors of the program's
  ///   functions in expressions.
  ///
  /// ```swift
  /// final class PlayerPolicy: NSEntityMigrationPolicy {
  ///   override func createRelationships(
  ///     forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
  ///     manager: NSMigrationManager
  ///   ) throws {
  ///     try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
  ///     if dInstance.value(forKey: "team") != nil { return }
  ///     let teams = manager.destinationInstances(
  ///       forEntityMappingName: "TeamToTeam", sourceInstances: nil)
  ///     dInstance.setValue(teams.first, forKey: "team")
  ///   }
  /// }
  /// ```
  open func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let sources = manager.sourceInstances(
      forEntityMappingName: mapping.name ?? "", destinationInstances: [dInstance])
    guard let source = sources.first else { return }
    try manager.values(for: mapping).setRelationships(of: dInstance, from: source, self, manager)
  }

  /// Called after the relationships of all objects of a mapping have been set. The default implementation does nothing.
  open func endRelationshipCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Called before the objects of a mapping are validated by the rules of the model. The default implementation does
  /// nothing.
  ///
  /// ```swift
  /// final class PersonPolicy: NSEntityMigrationPolicy {
  ///   override func performCustomValidation(
  ///     forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ///   ) throws {
  ///     let people = manager.destinationInstances(
  ///       forEntityMappingName: mapping.name, sourceInstances: nil)
  ///     if people.isEmpty { throw CocoaError(.coreData) }
  ///   }
  /// }
  /// ```
  open func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Called at the end of a mapping. The default implementation does nothing.
  open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Evaluates a function that an expression of the mapping calls: `FUNCTION($entityPolicy, "title:manager:",
  /// $source.title, $manager)`.
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
  /// - Throws: `NSMigrationError` if the class does not implement the function.
  ///
  /// Compared to Apple's Core Data: new. Apple's Core Data calls a method with this selector.
  open func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
    throw MigrationErrors.unknownFunction(selector, of: self)
  }
}

extension NSEntityMigrationPolicy: MessageReceiving {
  package func answer(to selector: String, arguments: [Any?]) throws -> MessageAnswer? {
    MessageAnswer(try value(forFunction: selector, arguments: arguments))
  }
}
