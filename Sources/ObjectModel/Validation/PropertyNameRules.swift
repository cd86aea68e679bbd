/// Every property has a name that is its own in the entity and those above, that key paths can say
/// and that no managed object has already.
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
    let before = entity.ownProperties.prefix { $0 !== property }
    if before.contains(where: { $0.name == name })
      || entity.ownProperties.count(where: { $0 === property }) > 1 && before.isEmpty
    {
      inspection.report(
        .repeatedName, entity, property, "another property of the entity has this name too")
    } else if let owner = ancestor(of: entity, declaring: { $0 == name }) {
      inspection.report(
        .inheritedName, entity, property,
        "the entity inherits a property of this name from '\(ModelInspection.name(of: owner))'")
    } else {
      inspectSimilar(property, of: entity, Array(before), &inspection)
    }
    inspectSpelling(property, of: entity, &inspection)
  }

  private static func inspectSimilar(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ before: [NSPropertyDescription], _ inspection: inout ModelInspection
  ) {
    let lowercased = property.name.lowercased()
    func differsInCase(_ other: String) -> Bool { other.lowercased() == lowercased }
    let near = before.first { differsInCase($0.name) }?.name
    let owner = near == nil ? ancestor(of: entity, declaring: differsInCase) : nil
    let above = owner?.ownProperties.first { differsInCase($0.name) }?.name
    guard let other = near ?? above else { return }
    inspection.report(
      .similarName, entity, property, "the name differs from '\(other)' in nothing but case")
  }

  private static func ancestor(
    of entity: NSEntityDescription, declaring isIt: (String) -> Bool
  ) -> NSEntityDescription? {
    entity.lineage.dropLast().first { above in
      above !== entity && above.ownProperties.contains { isIt($0.name) }
    }
  }

  private static func inspectSpelling(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    let name = property.name
    if ReservedNames.ofManagedObjects.contains(name) {
      inspection.report(
        .reservedName, entity, property, "every managed object has something of this name already")
    } else if let wrong = name.unicodeScalars.first(where: { ReservedNames.inPaths.contains($0) }) {
      inspection.report(
        .impossibleName, entity, property,
        "a key path cannot say a name with the character \(wrong.debugDescription)")
    } else if ReservedNames.withAccessor.contains(name) {
      let accessor = "is" + name.prefix(1).uppercased() + name.dropFirst()
      inspection.report(
        .unusualName, entity, property,
        "the name is easily mistaken for '\(accessor)' of managed objects")
    } else if !NameSpelling.isIdentifier(name) {
      inspection.report(
        .unusualName, entity, property, "the name is not one that a property of a class can have")
    } else if name.first?.isUppercase == true {
      inspection.report(
        .unusualName, entity, property, "names of properties begin with a small letter")
    }
  }
}
