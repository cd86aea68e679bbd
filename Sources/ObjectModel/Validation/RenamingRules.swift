/// Warns if two entities, or two properties of an entity, have the same renaming identifier.
enum RenamingRules: ModelRule {
  static func inspect(_ model: NSManagedObjectModel, _ inspection: inout ModelInspection) {
    var entities: [String: String] = [:]
    for entity in model.entities {
      if let identifier = entity.renamingIdentifier, !identifier.isEmpty, let name = entity.name,
        let other = entities.updateValue(name, forKey: identifier), other != name
      {
        inspection.report(
          .repeatedRenamingIdentifier, entity,
          "the renaming identifier '\(identifier)' is also that of '\(other)'")
      }
      var properties: [String: String] = [:]
      for property in entity.ownProperties {
        guard let identifier = property.renamingIdentifier, !identifier.isEmpty,
          let other = properties.updateValue(property.name, forKey: identifier),
          other != property.name
        else { continue }
        inspection.report(
          .repeatedRenamingIdentifier, entity, property,
          "the renaming identifier '\(identifier)' is also that of '\(other)'")
      }
    }
  }
}
