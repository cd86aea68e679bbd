import StoreEngine

/// Queries for the members of relationships in the old store.
extension InPlaceMigration {
  func table(_ layout: EntityLayout) throws -> String { try plan.schema().table(layout) }

  /// Returns the numbers of an entity and its subentities in the new store.
  func numbers(_ layout: EntityLayout) -> String {
    layout.family.compactMap { plan.numbers[$0.index].map(String.init) }.joined(separator: ", ")
  }

  /// Returns the old mappings of a slot in an entity and its subentities, each once.
  private func oldMappings(
    _ layout: EntityLayout, _ slot: Int
  ) -> [(layout: EntityLayout, slot: Int, mapping: StoreSchema.Mapping)] {
    var found: [(layout: EntityLayout, slot: Int, mapping: StoreSchema.Mapping)] = []
    for member in layout.family {
      guard let source = sources.source(of: member), let number = sources.slot(slot, of: member)
      else { continue }
      let mapping = old.mapping(source, number)
      guard mapping != .none,
        !found.contains(where: { $0.mapping == mapping && $0.layout.root === source.root })
      else { continue }
      found.append((source, number, mapping))
    }
    return found
  }

  /// Returns whether the old rows of a to-one relationship contain the destination's key, so that it is copied with
  /// the row.
  func hasKeys(_ layout: EntityLayout, _ slot: Int) -> Bool {
    oldMappings(layout, slot).contains { if case .toOne = $0.mapping { true } else { false } }
  }

  /// Returns whether the old rows of the members contain the owner's key, so that it is copied with these rows.
  func hasOwnerColumn(_ layout: EntityLayout, _ slot: Int) -> Bool {
    guard let source = sources.source(of: layout), let number = sources.slot(slot, of: layout),
      case .children(_, _, false) = old.mapping(source, number),
      let before = source.slots[number].relationship?.destination,
      let now = layout.slots[slot].relationship?.destination
    else { return false }
    return now.root.family.contains { sources.source(of: $0)?.root === before.root }
  }

  /// Returns the old join table of a relationship; nil if there is none, or several.
  func oldJoin(_ layout: EntityLayout, _ slot: Int) -> StoreSchema.JoinTable? {
    let found = oldMappings(layout, slot).compactMap { found -> StoreSchema.JoinTable? in
      if case .join(let join) = found.mapping { join } else { nil }
    }
    // Several join tables cannot become the new relationship's single join table without copying pairs.
    return found.count == 1 ? found[0] : nil
  }

  /// The join tables of the old model.
  var oldJoinTables: Set<String> {
    Set(
      old.mappings.joined().compactMap { mapping in
        if case .join(let join) = mapping { join.table } else { nil }
      })
  }

  /// Returns a query for the pairs of a relationship: the owner, the member, the member's position, and the owner's
  /// position. Nil for a relationship that did not exist.
  func pairs(of layout: EntityLayout, _ slot: Int) -> String? {
    if let own = ownPairs(layout, slot) { return own }
    guard let relationship = layout.slots[slot].relationship, let inverse = relationship.inverse
    else { return nil }
    // The pairs of the inverse are the same, with the sides exchanged.
    let other = StoreSchemaPlan.declaringEntity(of: inverse, in: relationship.destination)
    return ownPairs(other, inverse).map {
      "SELECT member AS owner, owner AS member, ownerPlace AS place, place AS ownerPlace FROM ("
        + $0 + ")"
    }
  }

  private func ownPairs(_ layout: EntityLayout, _ slot: Int) -> String? {
    func id(_ name: String?) -> String { name.map(SQLText.name) ?? "NULL" }
    let queries = oldMappings(layout, slot).compactMap { source, number, mapping -> String? in
      switch mapping {
      case .none, .attribute: return nil
      case .toOne(let key, _, let order):
        guard let table = old.tables[source.index] else { return nil }
        return
          "SELECT Z_PK AS owner, \(id(key)) AS member, NULL AS place, \(id(order)) AS ownerPlace"
          + " FROM \(id(table)) WHERE \(id(key)) IS NOT NULL"
      case .children(let key, let order, _):
        guard let destination = source.slots[number].relationship?.destination,
          let table = old.tables[destination.index]
        else { return nil }
        return
          "SELECT \(id(key)) AS owner, Z_PK AS member, \(id(order)) AS place, NULL AS ownerPlace"
          + " FROM \(id(table)) WHERE \(id(key)) IS NOT NULL"
      case .join(let join):
        return "SELECT \(id(join.ownerColumn)) AS owner, \(id(join.memberColumn)) AS member,"
          + " \(id(join.memberOrderColumn)) AS place, \(id(join.ownerOrderColumn)) AS ownerPlace"
          + " FROM \(id(join.table))"
      }
    }
    // Repeated pairs do no harm, because a pair is written only once.
    return queries.isEmpty ? nil : queries.joined(separator: " UNION ALL ")
  }

  /// Returns a query for the keys of possible destinations of a relationship that was to-one; nil if it was not.
  func oldDestinations(of layout: EntityLayout, _ slot: Int) -> String? {
    let tables = Set(
      oldMappings(layout, slot).compactMap { source, number, mapping -> String? in
        guard case .toOne = mapping,
          let destination = source.slots[number].relationship?.destination
        else { return nil }
        return old.tables[destination.index]
      })
    if tables.isEmpty { return nil }
    return tables.sorted().map { "SELECT Z_PK FROM \(SQLText.name($0))" }
      .joined(separator: " UNION ")
  }

  /// Returns whether rows of an entity's family are removed, or become rows of another entity.
  func losesRows(_ layout: EntityLayout) -> Bool {
    let roots = Set(
      layout.family.compactMap { sources.source(of: $0)?.root }.map(ObjectIdentifier.init))
    return sources.old.entities.contains { entity in
      roots.contains(ObjectIdentifier(entity.root)) && old.numbers[entity.index] != nil
        && sources.successor(of: entity).map { !$0.isKind(of: layout) } ?? true
    }
  }

  /// Returns whether members of a relationship may have entities that no longer belong to its destination.
  func losesMembers(_ layout: EntityLayout, _ slot: Int) -> Bool {
    guard let destination = layout.slots[slot].relationship?.destination else { return false }
    let before = oldMappings(layout, slot).compactMap {
      $0.layout.slots[$0.slot].relationship?.destination
    }
    // If the relationship is filled from its inverse, its members are the inverse's owners.
    if before.isEmpty { return losesRows(destination) }
    return before.flatMap(\.family).contains { entity in
      old.numbers[entity.index] != nil
        && sources.successor(of: entity).map { !$0.isKind(of: destination) } ?? true
    }
  }
}
