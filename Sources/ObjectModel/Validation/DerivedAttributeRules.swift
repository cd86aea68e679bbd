/// A derived attribute has an expression of the kind that the store computes, over properties that
/// are there.
///
/// Apple's documentation of `NSDerivedAttributeDescription` lists the kinds: a value copied through a
/// to-one relationship, `canonical:`, `uppercase:`, `lowercase:`, `@count`, `@sum` and the other
/// operators over a to-many relationship, and `now()`.
enum DerivedAttributeRules: PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    guard let derived = property as? NSDerivedAttributeDescription else { return }
    guard let text = derived.derivationText, !text.isEmpty else {
      inspection.report(
        .invalidDerivation, entity, derived, "the derived attribute has no expression")
      return
    }
    let fault =
      ModelInspection.fault(inExpression: text) ?? fault(in: text, of: entity, &inspection)
    if let fault { inspection.report(.invalidDerivation, entity, derived, fault) }
    if let fault = ModelInspection.fault(inPredicate: derived.filterText) {
      inspection.report(.unreadableText, entity, derived, fault)
    }
  }

  private static func fault(
    in text: String, of entity: NSEntityDescription, _ inspection: inout ModelInspection
  ) -> String? {
    // Which functions there are, reading the expression has decided.
    let paths: [String]
    switch DerivationExpression(text: text) {
    case .keyPath(let path): paths = [path]
    // An argument may be a number or a text.
    case .function(_, let arguments): paths = arguments.filter { NameSpelling.beginsWell($0) }
    }
    for path in paths {
      if let fault = fault(inPath: path, of: entity, &inspection) { return fault }
    }
    return nil
  }

  private static func fault(
    inPath path: String, of entity: NSEntityDescription, _ inspection: inout ModelInspection
  ) -> String? {
    var current: NSEntityDescription? = entity
    for step in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    where !step.hasPrefix("@") {
      guard let here = current else {
        return "the expression's path '\(path)' goes on behind an attribute"
      }
      let properties = inspection.properties(of: here)
      guard let property = properties[step] else {
        return "the expression names the unknown property"
          + " \(inspection.quoted(step, among: properties.keys)) of"
          + " '\(ModelInspection.name(of: here))'"
      }
      current = (property as? NSRelationshipDescription)?.destinationEntity
    }
    return nil
  }
}
