/// A level of hierarchical results: the members of a relationship of the objects on the level above.
///
/// ```swift
/// let byAge = NSSortDescriptor(key: "age", ascending: true)
/// let players = HierarchyLevel("players", sortedBy: [byAge])
/// let jobs = HierarchyLevel("jobs")  // in the order of the relationship
/// ```
public struct HierarchyLevel {
  /// The name of a to-many relationship of the objects on the level above.
  public var relationship: String
  /// The order of the members; nil for the order of an ordered relationship.
  public var sortDescriptors: [NSSortDescriptor]?

  /// Creates a level.
  ///
  /// - Parameters:
  ///   - relationship: A to-many relationship of the objects on the level above.
  ///   - sortDescriptors: The order of the members. It may be nil if the relationship is ordered.
  public init(_ relationship: String, sortedBy sortDescriptors: [NSSortDescriptor]? = nil) {
    self.relationship = relationship
    self.sortDescriptors = sortDescriptors
  }
}

/// A level whose names are resolved against the model.
struct BoundLevel {
  /// The relationship of the objects on the level above.
  let slot: PropertySlot
  let key: ManagedKey
  let destination: EntityLayout
  /// The inverse relationship from a member to the level above; nil if the model has none.
  let inverse: PropertySlot?
  /// The order of the members; nil if the relationship defines it.
  let order: RowOrder?
  let dependencies: [RelationshipDependency]
  /// The relationships whose destinations' IDs are sort keys.
  let references: [RelationshipDependency]

  /// Whether the position of a member can be found from the member alone, so that the cost of a change does not
  /// depend on the number of members.
  var followsMembers: Bool { inverse != nil && order != nil }

  init(_ level: HierarchyLevel, of owner: EntityLayout, in model: ModelLayout) throws {
    guard let slot = owner.slot(named: level.relationship) else {
      throw CoreDataError.unknownKey(level.relationship, in: owner)
    }
    guard slot.kind == .toMany, let relationship = slot.relationship else {
      throw CoreDataError.badRequest(
        "\(owner.name).\(level.relationship) is not a to-many relationship: it cannot be a level")
    }
    self.slot = slot
    key = ManagedKey(level.relationship)
    destination = relationship.destination
    inverse = relationship.inverse.map { relationship.destination.slots[$0] }
    guard let descriptors = level.sortDescriptors else {
      if !relationship.isOrdered {
        throw CoreDataError.badRequest(
          "\(owner.name).\(level.relationship) is not ordered: specify sort descriptors")
      }
      order = nil
      dependencies = []
      references = []
      return
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: destination.name)
    request.sortDescriptors = descriptors
    let plan = try FetchPlan(request, in: model)
    order = RowOrder(sorts: plan.sorts)
    dependencies = plan.query.dependencies
    references = plan.sorts.compactMap { sort in
      if case .property(let path) = sort.key {
        RelationshipDependency(toReferenceOf: path)
      } else {
        nil
      }
    }
  }

  /// Returns whether changes to objects of an entity may affect the level: such objects can be members, or determine
  /// the order of members.
  func covers(_ layout: EntityLayout) -> Bool {
    layout.isKind(of: destination) || dependencies.contains { layout.isKind(of: $0.end) }
  }

  /// Returns whether an object can be a member.
  func covers(_ object: NSManagedObject) -> Bool { object.layout.isKind(of: destination) }

  /// Returns the objects on the level above that a member belongs to; none if the model has no inverse relationship.
  func owners(of member: NSManagedObject) throws -> [NSManagedObject] {
    guard let inverse else { return [] }
    if inverse.kind == .toOne { return try member.toOneObject(inverse.index).map { [$0] } ?? [] }
    return try member.toManyObjects(inverse.index)
  }

  func values(of member: NSManagedObject) throws -> SortValues? {
    try order.map { try SortValues(of: member, by: $0.sorts) }
  }

  /// Returns the index of the node with these sort values among sorted children; if there is none, the index at which
  /// to insert it.
  func position(of values: SortValues, in children: [HierarchyNode]) -> Int {
    guard let order else { return 0 }
    // The position is unique, because equal sort values are ordered by the objects' IDs.
    return children.indices.partitioningIndex { place in
      children[place].values.map { order.compare($0, values) >= 0 } ?? true
    }
  }

  /// Returns the index of a child among its siblings.
  func place(of node: HierarchyNode, in children: [HierarchyNode]) -> Int {
    guard order != nil, let values = node.values else { return node.place }
    return position(of: values, in: children)
  }
}
