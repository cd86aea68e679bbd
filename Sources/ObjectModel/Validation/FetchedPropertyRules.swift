/// Requires that a fetched property has a fetch request for an entity of the model.
enum FetchedPropertyRules: PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    guard let fetched = property as? NSFetchedPropertyDescription else { return }
    guard let template = fetched.fetchTemplate else {
      inspection.report(
        .invalidFetchedProperty, entity, fetched, "the fetched property has no fetch request")
      return
    }
    if let defect = inspection.defect(inEntityOf: template) {
      inspection.report(.invalidFetchedProperty, entity, fetched, "its fetch request \(defect)")
    }
    for predicate in [template.predicate, template.havingPredicate] {
      if let defect = ModelInspection.defect(in: predicate) {
        inspection.report(.unreadableText, entity, fetched, defect)
      }
    }
  }
}
