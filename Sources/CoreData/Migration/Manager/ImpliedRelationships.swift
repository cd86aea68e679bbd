/// Finds the to-many relationships that a migration need not set, because setting their inverses sets them.
///
/// Setting the members of a team would load all of them into memory at once, even a million. If another mapping sets
/// the team of each member from the inverse relationship, the team's property mapping for its members is redundant.
struct ImpliedRelationships {
  private let mappings: [NSEntityMapping]
  private let policies: [NSEntityMigrationPolicy]
  private let source: ModelLayout
  private let destination: ModelLayout

  init(
    _ mappings: [NSEntityMapping], _ policies: [NSEntityMigrationPolicy], _ stores: MigrationStores
  ) {
    self.mappings = mappings
    self.policies = policies
    source = stores.source.layouts
    destination = stores.destination.layouts
  }

  /// Returns the names of a mapping's to-many relationships that other mappings set through the inverses.
  func names(in mapping: NSEntityMapping) -> Set<String> {
    guard let from = layout(mapping.sourceEntityName, source),
      let to = layout(mapping.destinationEntityName, destination)
    else { return [] }
    let properties = (mapping.relationshipMappings ?? []).filter { property in
      isImplied(property, from, to)
    }
    return Set(properties.compactMap(\.name))
  }

  private func layout(_ name: String?, _ model: ModelLayout) -> EntityLayout? {
    name.flatMap { model.layout(named: $0) }
  }

  private func isImplied(
    _ property: NSPropertyMapping, _ from: EntityLayout, _ to: EntityLayout
  ) -> Bool {
    // The inverse does not determine the order of an ordered relationship, so an ordered relationship has to be set.
    guard let slot = to.slot(named: property.name ?? ""), slot.kind == .toMany,
      let relationship = slot.relationship, !relationship.isOrdered,
      let inverse = inverse(of: relationship), inverse.kind == .toOne,
      let owner = inverse.relationship?.destination,
      let (mappingName, key) = Self.followed(property.valueExpression),
      let origin = from.slot(named: key)?.relationship,
      let back = self.inverse(of: origin), back.kind == .toOne
    else { return false }
    // The mappings that create members (`makers`) and the mappings that create owners. Within each group, every mapping
    // must have a different source entity: if two of them created objects from the same source object, it would be
    // ambiguous which of these objects to use.
    let makers = makers(of: relationship.destination, from: origin.destination, named: mappingName)
    let owners = self.makers(of: owner, from: back.relationship?.destination ?? from, named: nil)
    guard !makers.isEmpty, Self.areDistinct(makers.map(\.mapping)),
      Self.areDistinct(owners.map(\.mapping))
    else { return false }
    return makers.allSatisfy { maker in
      // A custom policy may set relationships differently.
      type(of: maker.policy) == NSEntityMigrationPolicy.self
        && maker.mapping.relationshipMappings?.contains { other in
          guard other.name == inverse.name,
            let (name, path) = Self.followed(other.valueExpression)
          else { return false }
          return path == back.name
            && (name == nil || owners.count == 1 && owners[0].mapping.name == name)
        } ?? false
    }
  }

  private func inverse(of relationship: RelationshipLayout) -> PropertySlot? {
    relationship.inverse.map { relationship.destination.slots[$0] }
  }

  private func makers(
    of entity: EntityLayout, from origin: EntityLayout, named name: String?
  ) -> [(mapping: NSEntityMapping, policy: NSEntityMigrationPolicy)] {
    zip(mappings, policies).filter { mapping, _ in
      guard let from = layout(mapping.sourceEntityName, source),
        let to = layout(mapping.destinationEntityName, destination)
      else { return false }
      return from.isKind(of: origin) && to.isKind(of: entity)
        && (name == nil || mapping.name == name)
    }.map { (mapping: $0.0, policy: $0.1) }
  }

  private static func areDistinct(_ mappings: [NSEntityMapping]) -> Bool {
    Set(mappings.map(\.sourceEntityName)).count == mappings.count
  }

  /// Returns the source relationship that an expression copies unchanged, and the mapping whose objects it returns
  /// (nil if it returns the objects of any mapping). Returns nil for any other expression.
  private static func followed(
    _ expression: Predicates.NSExpression?
  ) -> (mapping: String?, key: String)? {
    guard case .function(let name, let operand?, let arguments) = expression?.node,
      arguments.count == 2, case .variable(NSMigrationManagerKey) = operand.node,
      case .constant(let first as String) = arguments[0].node,
      let (variable, path) = arguments[1].variableKeyPath, variable == NSMigrationSourceObjectKey,
      !path.contains("."), !path.contains("@")
    else { return nil }
    switch name {
    case MappingExpressions.instancesOfMapping: return (first, path)
    case MappingExpressions.instancesOfRelationship: return first == path ? (nil, path) : nil
    default: return nil
    }
  }
}
