/// Says how objects of one entity of the source become objects of one entity of the destination.
///
/// ```swift
/// let fullName = NSPropertyMapping()
/// fullName.name = "fullName"
/// fullName.valueExpression = NSExpression(format: "$source.name")
/// let mapping = NSEntityMapping()
/// mapping.name = "PersonToPerson"
/// mapping.mappingType = .transformEntityMappingType
/// mapping.sourceEntityName = "Person"
/// mapping.destinationEntityName = "Person"
/// mapping.sourceExpression = NSExpression(
///   format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:',"
///     + " 'Person', 'TRUEPREDICATE'), $manager.sourceContext, NO)")
/// mapping.attributeMappings = [fullName]
/// ```
///
/// Equal to another that says the same. Belongs to whoever made it; a migration that runs reads it on
/// its own thread.
nonisolated open class NSEntityMapping: NSObject, NSCopying, @unchecked Sendable {
  /// The name by which value expressions and policies refer to the mapping.
  open var name: String! = ""
  /// What becomes of the objects.
  open var mappingType = NSEntityMappingType.undefinedEntityMappingType
  /// The entity in the source; nil for an entity that is added.
  open var sourceEntityName: String?
  /// The version hash of the source entity; nil where any entity of the name will do.
  open var sourceEntityVersionHash: Data?
  /// The entity in the destination; nil for an entity that is removed.
  open var destinationEntityName: String?
  /// The version hash of the destination entity; nil where any entity of the name will do.
  open var destinationEntityVersionHash: Data?
  /// Where the values of attributes come from. Inherited ones are to be listed too.
  open var attributeMappings: [NSPropertyMapping]?
  /// Where the objects of relationships come from. Inherited ones are to be listed too.
  open var relationshipMappings: [NSPropertyMapping]?
  /// The expression that gives the source objects; nil for none.
  ///
  /// Of a `FETCH(…)` the objects are read in batches and let go again; those of another expression are
  /// all in memory at once.
  open var sourceExpression: Predicates.NSExpression?
  /// The program's own values. Numbers read back as `NSNumber`s.
  open var userInfo: [AnyHashable: Any]? {
    didSet { userInfo = BridgedValue.bridgedDictionary(userInfo) }
  }
  /// The name of the class of the policy, a subclass of ``NSEntityMigrationPolicy``; nil for that class
  /// itself.
  open var entityMigrationPolicyClassName: String?

  /// Makes a mapping that says nothing.
  public override init() { super.init() }

  /// Another mapping that says the same, with copies of the properties' mappings.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSEntityMapping()
    copy.name = name
    copy.mappingType = mappingType
    copy.sourceEntityName = sourceEntityName
    copy.sourceEntityVersionHash = sourceEntityVersionHash
    copy.destinationEntityName = destinationEntityName
    copy.destinationEntityVersionHash = destinationEntityVersionHash
    copy.attributeMappings = attributeMappings?.compactMap { $0.copy() as? NSPropertyMapping }
    copy.relationshipMappings = relationshipMappings?.compactMap {
      $0.copy() as? NSPropertyMapping
    }
    copy.sourceExpression = sourceExpression
    copy.userInfo = userInfo
    copy.entityMigrationPolicyClassName = entityMigrationPolicyClassName
    return copy
  }

  open override func copy() -> Any { copy(with: nil) }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSEntityMapping else { return false }
    return self === other
      || name == other.name && mappingType == other.mappingType
        && sourceEntityName == other.sourceEntityName
        && sourceEntityVersionHash == other.sourceEntityVersionHash
        && destinationEntityName == other.destinationEntityName
        && destinationEntityVersionHash == other.destinationEntityVersionHash
        && sourceExpression == other.sourceExpression
        && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
        && attributeMappings ?? [] == other.attributeMappings ?? []
        && relationshipMappings ?? [] == other.relationshipMappings ?? []
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(sourceEntityName)
    hasher.combine(destinationEntityName)
    return hasher.finalize()
  }

  open override var description: String {
    "<NSEntityMapping> name = \(name ?? ""), type = \(mappingType), source = "
      + "\(sourceEntityName ?? "nil"), destination = \(destinationEntityName ?? "nil")"
  }
}
