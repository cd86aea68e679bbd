/// How one level of hierarchical results follows from the one above it.
public struct HierarchyLevel {
  /// The name of a to-many relationship of the objects above.
  public var relationship: String
  /// How its members are ordered; nil for the order that an ordered relationship has.
  public var sortDescriptors: [NSSortDescriptor]?

  /// The members of a relationship.
  ///
  /// - Parameters:
  ///   - relationship: a to-many relationship of the objects of the level above.
  ///   - sortDescriptors: the order of its members. May be nil where the relationship is ordered.
  public init(_ relationship: String, sortedBy sortDescriptors: [NSSortDescriptor]? = nil) {
    self.relationship = relationship
    self.sortDescriptors = sortDescriptors
  }
}

/// A level with its names resolved.
struct BoundLevel {
  /// The relationship of the objects above.
  let slot: PropertySlot
  let key: ManagedKey
  let destination: EntityLayout
  /// The way from a member to the objects above; nil where the model has none.
  let inverse: PropertySlot?
  /// The members' order; nil where the relationship gives it.
  let order: RowOrder?
  let dependencies: [RelationshipDependency]
  /// Where objects are that members are ordered by.
  let references: [RelationshipDependency]

  /// Whether members alone say where they belong: then a change costs nothing proportional to their number.
  var followsMembers: Bool { inverse != nil && order != nil }

  init(_ level: HierarchyLevel, of owner: EntityLayout, in model: ModelLayout) throws {
    guard let slot = owner.slot(named: level.relationship) else {
      throw CoreDataError.unknownKey(level.relationship, in: owner)
    }
    guard slot.kind == .toMany, let relationship = slot.relationship else {
      throw CoreDataError.badRequest(
        "\(owner.name).\(level.relationship) is no to-many relationship: its members are to be the rows"
      )
    }
    self.slot = slot
    key = ManagedKey(level.relationship)
    destination = relationship.destination
    inverse = relationship.inverse.map { relationship.destination.slots[$0] }
    guard let descriptors = level.sortDescriptors else {
      if !relationship.isOrdered {
        throw CoreDataError.badRequest(
          "\(owner.name).\(level.relationship) is not ordered: its members need sort descriptors")
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

  /// Whether an object can be a member.
  func covers(_ object: NSManagedObject) -> Bool { object.layout.isKind(of: destination) }

  /// The objects above a member.
  func owners(of member: NSManagedObject) throws -> [NSManagedObject] {
    guard let inverse else { return [] }
    if inverse.kind == .toOne { return try member.toOneObject(inverse.index).map { [$0] } ?? [] }
    return try member.toManyObjects(inverse.index)
  }

  func values(of member: NSManagedObject) throws -> SortValues? {
    try order.map { try SortValues(of: member, by: $0.sorts) }
  }

  /// Where a node is, or belongs, among sorted children.
  func position(of values: SortValues, in children: [HierarchyNode]) -> Int {
    guard let order else { return 0 }
    return children.indices.partitioningIndex { place in
      children[place].values.map { order.compare($0, values) >= 0 } ?? true
    }
  }

  /// Where a child is among its siblings.
  func place(of node: HierarchyNode, in children: [HierarchyNode]) -> Int {
    guard order != nil, let values = node.values else { return node.place }
    return position(of: values, in: children)
  }
}
