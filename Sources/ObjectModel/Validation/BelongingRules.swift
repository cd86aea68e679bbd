/// An entity belongs to one model, a property and an index to one entity.
enum BelongingRules: EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection) {
    if entity.model !== inspection.model {
      inspection.report(
        .sharedDescription, entity, "the entity belongs to another model; take a copy of it")
    }
    for property in entity.ownProperties where property.owner !== entity {
      inspection.report(
        .sharedDescription, entity, property,
        "the property belongs to '\(ModelInspection.name(of: property.owner))' as well;"
          + " take a copy of it")
    }
    for index in entity.indexes where index.entity !== entity {
      inspection.report(
        .sharedDescription, entity,
        "the index '\(index.name)' belongs to '\(ModelInspection.name(of: index.entity))' as well;"
          + " take a copy of it")
    }
  }
}
