/// Requires that parents and subentities are in the model, that no entity is its own ancestor, has too many ancestors,
/// or is a subentity of two others.
enum HierarchyRules: EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection) {
    if isAboveItself(entity, &inspection) {
      inspection.report(.circularParents, entity, "the entity is its own ancestor")
    } else if let next = entity.lineage.first?.superentity, next.superentity == nil {
      // Descendants of this entity are not reported, because they have the same problem.
      let most = NSEntityDescription.deepestHierarchy - 1
      inspection.report(
        .tooManyAncestors, entity,
        "it has \(most + 1) ancestors; the maximum is \(most)")
    }
    if let parent = entity.superentity, !inspection.contains(parent) {
      inspection.report(
        .relativeOutsideModel, entity,
        "its parent entity '\(ModelInspection.name(of: parent))' is not in the model")
    }
    for child in entity.subentities {
      let name = ModelInspection.name(of: child)
      if !inspection.contains(child) {
        inspection.report(
          .relativeOutsideModel, entity, "its subentity '\(name)' is not in the model")
      } else if child.superentity !== entity {
        inspection.report(
          .sharedDescription, entity,
          "its subentity '\(name)' is also a subentity of"
            + " '\(ModelInspection.name(of: child.superentity))'")
      }
    }
  }

  private static func isAboveItself(
    _ entity: NSEntityDescription, _ inspection: inout ModelInspection
  ) -> Bool {
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(entity)]
    var current = entity.superentity
    while let here = current, !inspection.entitiesBelowRoots.contains(ObjectIdentifier(here)) {
      // Only the entities in a cycle are reported, not their descendants outside it.
      guard seen.insert(ObjectIdentifier(here)).inserted else { return here === entity }
      current = here.superentity
    }
    // All visited entities lead to a root and need not be walked again.
    inspection.entitiesBelowRoots.formUnion(seen)
    return false
  }
}
