/// A property that leads to other objects: one, or many with or without an order.
nonisolated open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
  /// The entity of the objects that the relationship leads to.
  ///
  /// Weak: the model keeps its entities.
  open var destinationEntity: NSEntityDescription? {
    get { destinationReference.entity }
    set {
      willChange()
      destinationReference = EntityReference(newValue)
    }
  }
  private final var destinationReference = EntityReference(nil)

  /// The relationship that leads back, which is kept in step with this one.
  ///
  /// Weak: its entity keeps it. Setting one side does not set the other. Where what was set belongs to
  /// no entity, because copies of it were given to entities, it is the destination's relationship of
  /// that name.
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

  private final weak var linkedInverse: NSRelationshipDescription?
  /// The name of the inverse when it was set, which may be all that is left of it.
  private final var inverseName: String?

  /// What deleting the owner does to the objects that the relationship leads to.
  open var deleteRule: NSDeleteRule = .nullifyDeleteRule {
    willSet { willChange() }
  }

  /// The least number of objects; 0 for none. Not asked of an optional relationship that is empty.
  open var minCount = 0 {
    willSet { willChange() }
  }

  /// The greatest number of objects; 0 for no limit, 1 for a to-one relationship.
  open var maxCount = 0 {
    willSet { willChange() }
  }

  /// Whether the objects of a to-many relationship have an order.
  open var isOrdered = false {
    willSet { willChange() }
  }

  /// Whether the relationship leads to a collection: whether `maxCount` is not 1.
  open var isToMany: Bool { maxCount != 1 }

  /// A mutable copy that belongs to no entity and leads where this one does.
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
