/// Requires that every property has a name that is unique in its entity and the entity's ancestors, that is valid in
/// key paths, and that no member of `NSManagedObject` has. Warns about unusual names, and about names that differ only
/// in case.
enum PropertyNameRules: PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    let name = property.name
    if name.isEmpty {
      inspection.report(.missingName, entity, property, "the property has no name")
      return
    }
    let names = inspection.declaredNames(of: entity)
    // Compare positions, so that only the later of two properties with the same name is reported.
    let own = names.properties[ObjectIdentifier(property)] ?? (place: 0, isRepeated: false)
    if names.places[name].map({ $0 < own.place }) == true || own.isRepeated {
      inspection.report(
        .repeatedName, entity, property, "another property of the entity has this name too")
    } else if let owner = ancestor(of: entity, &inspection, where: { $0.places[name] != nil }) {
      inspection.report(
        .inheritedName, entity, property,
        "the entity inherits a property of this name from '\(ModelInspection.name(of: owner))'")
    } else {
      inspectSimilar(property, of: entity, before: own.place, names, &inspection)
    }
    inspectSpelling(property, of: entity, &inspection)
  }

  private static func inspectSimilar(
    _ property: NSPropertyDescription, of entity: NSEntityDescription, before place: Int,
    _ names: DeclaredNames, _ inspection: inout ModelInspection
  ) {
    let lowercased = property.name.lowercased()
    var other: String?
    if let near = names.placesWithoutCase[lowercased], near < place {
      other = entity.ownProperties[near].name
    } else if let owner = ancestor(
      of: entity, &inspection, where: { $0.placesWithoutCase[lowercased] != nil }),
      let above = inspection.declaredNames(of: owner).placesWithoutCase[lowercased]
    {
      other = owner.ownProperties[above].name
    }
    guard let other else { return }
    inspection.report(
      .similarName, entity, property, "the name differs from '\(other)' only in case")
  }

  private static func ancestor(
    of entity: NSEntityDescription, _ inspection: inout ModelInspection,
    where declares: (DeclaredNames) -> Bool
  ) -> NSEntityDescription? {
    for above in inspection.ancestors(of: entity) {
      if declares(inspection.declaredNames(of: above)) { return above }
    }
    return nil
  }

  private static func inspectSpelling(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    let name = property.name
    if ReservedNames.ofManagedObjects.contains(name) {
      inspection.report(
        .reservedName, entity, property, "every managed object already has a member with this name")
    } else if let wrong = name.unicodeScalars.first(where: { ReservedNames.inPaths.contains($0) }) {
      inspection.report(
        .impossibleName, entity, property,
        "a key path cannot contain a name with the character \(wrong.debugDescription)")
    } else if ReservedNames.withAccessor.contains(name) {
      let accessor = "is" + name.prefix(1).uppercased() + name.dropFirst()
      inspection.report(
        .unusualName, entity, property,
        "the name is easily confused with '\(accessor)' of managed objects")
    } else if !NameSpelling.isIdentifier(name) {
      inspection.report(
        .unusualName, entity, property, "the name is not a valid name for a property of a class")
    } else if name.first?.isUppercase == true {
      inspection.report(
        .unusualName, entity, property, "names of properties should begin with a lowercase letter")
    }
  }
}
