/// Requires that a relationship has a destination in the model and a minimum count that is not greater than its maximum
/// count, that its inverse leads back, and that it is not ordered if it is to-one. Warns about a missing inverse and
/// about negative counts.
enum RelationshipRules: PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    guard let relationship = property as? NSRelationshipDescription else { return }
    inspectDestination(of: relationship, entity, &inspection)
    if let inverse = relationship.inverseRelationship {
      if let defect = defect(in: inverse, of: relationship, entity) {
        inspection.report(.wrongInverse, entity, relationship, defect)
      }
    } else {
      inspection.report(
        .missingInverse, entity, relationship,
        "the relationship has no inverse, so the other side is not updated with it")
    }
    inspectCounts(of: relationship, entity, &inspection)
  }

  private static func inspectDestination(
    of relationship: NSRelationshipDescription, _ entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    guard let destination = relationship.destinationEntity else {
      inspection.report(
        .missingDestination, entity, relationship, "the relationship has no destination entity")
      return
    }
    guard !inspection.contains(destination) else { return }
    let name = ModelInspection.name(of: destination)
    // An entity of another copy of the model has the same name, so a message with only the name would be confusing.
    let twin = inspection.entitiesByName[name] == nil ? "" : ", only another entity with this name"
    inspection.report(
      .destinationOutsideModel, entity, relationship,
      "the destination entity '\(name)' is not in the model\(twin)")
  }

  private static func defect(
    in inverse: NSRelationshipDescription, of relationship: NSRelationshipDescription,
    _ entity: NSEntityDescription
  ) -> String? {
    let home = inverse.owner
    let name = "\(ModelInspection.name(of: home)).\(ModelInspection.shown(inverse.name))"
    if let home, let destination = relationship.destinationEntity,
      !areRelated(home, destination)
    {
      return "the inverse '\(name)' does not belong to the destination entity"
        + " '\(ModelInspection.name(of: destination))'"
    }
    if let end = inverse.destinationEntity, !areRelated(end, entity) {
      return "the inverse '\(name)' leads to '\(ModelInspection.name(of: end))' instead of back"
    }
    guard let back = inverse.inverseRelationship else {
      return "the inverse '\(name)' has no inverse itself; set both sides"
    }
    guard back !== relationship else { return nil }
    return "the inverse '\(name)' is the inverse of"
      + " '\(ModelInspection.name(of: back.owner)).\(ModelInspection.shown(back.name))'"
  }

  private static func areRelated(_ one: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
    // The inverse can be inherited, and it can belong to a subentity of the destination.
    one.isKindOf(entity: other) || other.isKindOf(entity: one)
  }

  private static func inspectCounts(
    of relationship: NSRelationshipDescription, _ entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    if relationship.isOrdered, !relationship.isToMany {
      inspection.report(
        .orderedToOne, entity, relationship, "only a to-many relationship can be ordered")
    }
    let (least, most) = (relationship.minCount, relationship.maxCount)
    if least < 0 || most < 0 {
      inspection.report(
        .negativeCount, entity, relationship,
        "the minimum or maximum number of objects is negative (\(least), \(most)), which means no limit"
      )
    } else if most > 0, least > most {
      inspection.report(
        .impossibleCount, entity, relationship,
        "the minimum of \(least) objects is greater than the maximum of \(most)")
    }
  }
}
