/// Requires that the model's fetch requests fetch entities of the model, with valid predicates and existing properties.
enum FetchRequestRules: ModelRule {
  static func inspect(_ model: NSManagedObjectModel, _ inspection: inout ModelInspection) {
    for template in model.fetchRequestTemplates.values.sorted(by: { $0.name.isBefore($1.name) }) {
      let place = "the fetch request '\(template.name)'"
      if let defect = inspection.defect(inEntityOf: template) {
        inspection.report(.invalidFetchRequest, "\(place) \(defect)")
      }
      guard let entity = inspection.entitiesByName[template.entityName] else { continue }
      for predicate in [template.predicate, template.havingPredicate] {
        if let defect = ModelInspection.defect(in: predicate) {
          inspection.report(.unreadableText, "\(defect) (\(place))")
        }
      }
      inspectKeys(of: template, entity, place, &inspection)
    }
  }

  private static func inspectKeys(
    of template: FetchRequestTemplate, _ entity: NSEntityDescription, _ place: String,
    _ inspection: inout ModelInspection
  ) {
    let known = inspection.properties(of: entity)
    let paths =
      template.sortKeys.map(\.keyPath) + template.prefetchedKeyPaths
      + (template.propertiesToFetch ?? []) + (template.propertiesToGroupBy ?? [])
    for path in paths {
      let key = String(path.prefix { $0 != "." })
      // "self" and similar keys refer to the object.
      guard known[key] == nil, !ModelAssembler.objectKeys.contains(key) else { continue }
      inspection.report(
        .unknownFetchKey,
        "\(place) uses a property that '\(template.entityName)' does not have:"
          + " \(inspection.quoted(key, among: known.keys))")
    }
  }
}
