/// The mapping from objects of a source entity to objects of a destination entity.
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
/// Two mappings are equal if all their properties except `userInfo` are equal. A mapping is not thread-safe; a running
/// migration reads it on the migration's thread.
nonisolated open class NSEntityMapping: NSObject, NSCopying, @unchecked Sendable {
  /// The name by which value expressions and policies refer to the mapping.
  open var name: String! = ""
  /// The way the objects are migrated.
  open var mappingType = NSEntityMappingType.undefinedEntityMappingType
  /// The entity in the source; nil for an entity that is added.
  open var sourceEntityName: String?
  /// The version hash of the source entity; nil to accept any entity with that name.
  open var sourceEntityVersionHash: Data?
  /// The entity in the destination; nil for an entity that is removed.
  open var destinationEntityName: String?
  /// The version hash of the destination entity; nil to accept any entity with that name.
  open var destinationEntityVersionHash: Data?
  /// The mappings for attributes, including inherited ones.
  open var attributeMappings: [NSPropertyMapping]?
  /// The mappings for relationships, including inherited ones.
  open var relationshipMappings: [NSPropertyMapping]?
  /// The expression that returns the source objects; nil for none.
  ///
  /// The objects of a `FETCH(…)` are read and released in batches; those of any other expression are
  /// in memory all at once.
  open var sourceExpression: Predicates.NSExpression?
  /// Your program's own values. Numbers are returned as `NSNumber`.
  open var userInfo: [AnyHashable: Any]? {
    didSet { userInfo = BridgedValue.bridgedDictionary(userInfo) }
  }
  /// The name of the policy class, a subclass of ``NSEntityMigrationPolicy``; nil for that class itself.
  open var entityMigrationPolicyClassName: String?

  /// Creates an empty mapping.
  public override init() { super.init() }

  /// Returns an equal mapping, with copies of the property mappings.
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
