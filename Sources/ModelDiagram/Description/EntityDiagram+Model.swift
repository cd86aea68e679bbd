package import ObjectModel

extension EntityDiagram {
  /// Creates the diagram of a model.
  ///
  /// It works for every model, even an inconsistent one: a relationship without a destination in the
  /// model has a row and no line.
  ///
  /// Cost: proportional to the number of properties.
  package init(_ model: NSManagedObjectModel, title: String) {
    let entities = model.entities
    var places: [ObjectIdentifier: Int] = [:]
    for (place, entity) in entities.enumerated() { places[ObjectIdentifier(entity)] = place }
    let families = Self.families(of: entities)
    self.init(
      title: title,
      cards: entities.enumerated().map { EntityCard($1, family: families[$0]) },
      relations: Self.relations(of: entities, places: places),
      inheritances: entities.enumerated().compactMap { place, entity in
        entity.superentity.flatMap { places[ObjectIdentifier($0)] }.map {
          InheritanceArrow(child: place, parent: $0)
        }
      })
  }

  /// Returns the index of each entity's hierarchy; nil for entities without relatives.
  private static func families(of entities: [NSEntityDescription]) -> [Int?] {
    let roots = entities.map { ObjectIdentifier($0.rootEntity) }
    var sizes: [ObjectIdentifier: Int] = [:]
    for root in roots { sizes[root, default: 0] += 1 }
    var numbers: [ObjectIdentifier: Int] = [:]
    return roots.map { root in
      guard sizes[root, default: 0] > 1 else { return nil }
      let number = numbers[root] ?? numbers.count
      numbers[root] = number
      return number
    }
  }

  private static func relations(
    of entities: [NSEntityDescription], places: [ObjectIdentifier: Int]
  ) -> [RelationLine] {
    var result: [RelationLine] = []
    var drawn: Set<ObjectIdentifier> = []
    // Computed once for each entity, regardless of the number of its lines.
    var knownRows: [Int: [ObjectIdentifier: Int]] = [:]
    func rowPlaces(_ place: Int) -> [ObjectIdentifier: Int] {
      if let known = knownRows[place] { return known }
      let found = EntityCard.rowPlaces(of: entities[place])
      knownRows[place] = found
      return found
    }
    for (place, entity) in entities.enumerated() {
      let rows = rowPlaces(place)
      for case let relationship as NSRelationshipDescription in entity.ownProperties {
        guard drawn.insert(ObjectIdentifier(relationship)).inserted,
          let destination = relationship.destinationEntity,
          let far = places[ObjectIdentifier(destination)]
        else { continue }
        let source = RelationLine.End(
          relationship, card: place, row: rows[ObjectIdentifier(relationship)])
        if relationship.inverseRelationship === relationship {
          result.append(RelationLine(source: source, target: source, isOwnInverse: true))
        } else if let inverse = relationship.inverseRelationship,
          // In an inconsistent model, the inverse may have another inverse,
          // and then gets its own line.
          inverse.inverseRelationship === relationship, let owner = inverse.owner,
          let other = places[ObjectIdentifier(owner)]
        {
          // Draw the inverse where it is declared, which may be an ancestor of the destination.
          drawn.insert(ObjectIdentifier(inverse))
          let row = rowPlaces(other)[ObjectIdentifier(inverse)]
          let target = RelationLine.End(inverse, card: other, row: row)
          result.append(RelationLine(source: source, target: target))
        } else {
          result.append(RelationLine(source: source, target: RelationLine.End(card: far)))
        }
      }
    }
    return result
  }
}

extension RelationLine.End {
  init(_ relationship: NSRelationshipDescription, card: Int, row: Int?) {
    self.init(
      card: card, row: row, name: relationship.name,
      leadsTo: RelationLine.Cardinality(relationship), isOrdered: relationship.isOrdered,
      deleteRule: relationship.deleteRule)
  }
}

extension RelationLine.Cardinality {
  /// Creates the range of the number of objects that a valid object may have in the relationship.
  init(_ relationship: NSRelationshipDescription) {
    let least = max(relationship.minCount, 0)
    let most = relationship.maxCount > 0 ? relationship.maxCount : nil
    if relationship.isOptional {
      // An optional relationship with a minimum of 1 has no effective minimum.
      self.init(minimum: least > 1 ? least : 0, maximum: most, allowsNone: least > 1)
    } else {
      self.init(minimum: max(least, 1), maximum: most)
    }
  }
}
