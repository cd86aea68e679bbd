/// Requires that configurations have names and contain only entities of the model.
enum ConfigurationRules: ModelRule {
  static func inspect(_ model: NSManagedObjectModel, _ inspection: inout ModelInspection) {
    for configuration in model.configurationTable {
      if configuration.name.isEmpty {
        inspection.report(.invalidConfiguration, "a configuration has no name")
      }
      let names = inspection.entitiesByName.keys
      for name in configuration.entityNames where inspection.entitiesByName[name] == nil {
        inspection.report(
          .invalidConfiguration,
          "the configuration '\(configuration.name)' has the unknown entity"
            + " \(inspection.quoted(name, among: names))")
      }
    }
  }
}
