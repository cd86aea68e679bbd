/// A property that refers to other objects: to one, or to many with or without an order.
///
/// ```swift
/// let (players, team) = (NSRelationshipDescription(), NSRelationshipDescription())
/// players.name = "players"
/// players.deleteRule = .cascadeDeleteRule
/// team.name = "team"
/// team.maxCount = 1
/// players.inverseRelationship = team
/// team.inverseRelationship = players
/// print(players.isToMany, team.isToMany)  // true false
/// ```
nonisolated open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
  /// The entity of the relationship's objects.
  ///
  /// The reference is weak: the model owns its entities.
  open var destinationEntity: NSEntityDescription? {
    get { destinationReference.entity }
    set {
      willChange()
      destinationReference = EntityReference(newValue)
    }
  }
  private final var destinationReference = EntityReference(nil)

  /// The inverse relationship, which Core Data keeps consistent with this one.
  ///
  /// The reference is weak: the entity owns the relationship. Setting one side does not set the other. If the
  /// relationship that was set belongs to no entity, because copies of it were added to entities, the inverse is the
  /// destination's relationship with the same name.
  open var inverseRelationship: NSRelationshipDescription? {
    get {
      if let linkedInverse, linkedInverse.owner != nil { return linkedInverse }
      guard let name = linkedInverse?.name ?? inverseName else { return linkedInverse }
      return destinationEntity?.property(named: name) as? NSRelationshipDescription
        ?? linkedInverse
    }
    set {
      willChange()
      linkedInverse = newValue
      inverseName = newValue?.name
    }
  }

  // Weak, because the inverse refers back to this relationship.
  private final weak var linkedInverse: NSRelationshipDescription?
  /// The name of the inverse when it was set. The inverse itself may have been deallocated since.
  private final var inverseName: String?

  /// The effect of deleting the owner on the relationship's objects.
  open var deleteRule: NSDeleteRule = .nullifyDeleteRule {
    willSet { willChange() }
  }

  /// The minimum number of objects; 0 for none. An optional relationship may be empty regardless of the
  /// minimum.
  ///
  /// ```swift
  /// let players = NSRelationshipDescription()
  /// players.name = "players"
  /// players.isOptional = false
  /// players.minCount = 5
  /// players.maxCount = 11
  /// ```
  open var minCount = 0 {
    willSet { willChange() }
  }

  /// The maximum number of objects; 0 for no limit, 1 for a to-one relationship.
  open var maxCount = 0 {
    willSet { willChange() }
  }

  /// Whether the objects of a to-many relationship are ordered.
  open var isOrdered = false {
    willSet { willChange() }
  }

  /// Whether the relationship is to-many, that is, whether `maxCount` is not 1.
  open var isToMany: Bool { maxCount != 1 }

  /// Returns a mutable copy that belongs to no entity and has the same destination.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSRelationshipDescription()
    copyState(to: copy)
    copy.destinationEntity = destinationEntity
    copy.linkedInverse = linkedInverse
    copy.inverseName = inverseName
    copy.deleteRule = deleteRule
    copy.minCount = minCount
    copy.maxCount = maxCount
    copy.isOrdered = isOrdered
    return copy
  }
}
