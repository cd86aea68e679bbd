/// Requires that each entity belongs to one model, and each property and index to one entity.
enum BelongingRules: EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection) {
    if entity.model !== inspection.model {
      inspection.report(
        .sharedDescription, entity, "the entity belongs to another model; use a copy of it")
    }
    // A property's owner is the entity to which it was added last, but the other entities keep the
    // property in their lists.
    for property in entity.ownProperties where property.owner !== entity {
      inspection.report(
        .sharedDescription, entity, property,
        "the property also belongs to '\(ModelInspection.name(of: property.owner))';"
          + " use a copy of it")
    }
    for index in entity.indexes where index.entity !== entity {
      inspection.report(
        .sharedDescription, entity,
        "the index '\(index.name)' also belongs to '\(ModelInspection.name(of: index.entity))';"
          + " use a copy of it")
    }
    for index in entity.indexes
    where index.elements.contains(where: { $0.indexDescription !== index }) {
      inspection.report(
        .sharedDescription, entity,
        "an element of the index '\(index.name)' also belongs to another index; use a copy of it")
    }
  }
}
