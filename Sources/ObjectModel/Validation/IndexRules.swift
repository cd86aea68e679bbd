/// Checks that each index has a unique name and elements, and that each element has a column.
///
/// Models of Apple's own programs contain indexes on to-many relationships and several indexes with the same name, so
/// these two problems are warnings.
enum IndexRules: EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection) {
    var seen: Set<String> = []
    for index in entity.indexes {
      if index.name.isEmpty {
        // Compiled models may contain such indexes. In them this problem is only a warning, unlike `missingName`,
        // because reading rows does not depend on the names of indexes.
        inspection.report(.unnamedIndex, entity, "an index has no name")
      } else if !seen.insert(index.name).inserted {
        inspection.report(.repeatedIndex, entity, "two indexes have the name '\(index.name)'")
      }
      if index.elements.isEmpty {
        inspection.report(.invalidIndex, entity, "the index '\(index.name)' has no elements")
      }
      for element in index.elements {
        if let defect = defect(of: element, entity, &inspection) {
          inspection.report(.invalidIndex, entity, "the index '\(index.name)' \(defect)")
        } else if let name = element.propertyName,
          let reason = inspection.properties(of: entity)[name]?.reasonForNoColumn
        {
          inspection.report(
            .uselessIndex, entity,
            "the index '\(index.name)' contains '\(name)', which is \(reason)")
        }
      }
      if let defect = ModelInspection.defect(inPredicate: index.partialPredicateFormat) {
        inspection.report(.unreadableText, entity, "\(defect) (index '\(index.name)')")
      }
    }
    for name in entity.compoundIndexNames.joined() {
      guard !ModelAssembler.objectKeys.contains(name) else { continue }
      let properties = inspection.properties(of: entity)
      guard properties[name] == nil else { continue }
      inspection.report(
        .invalidIndex, entity,
        "a compound index contains the unknown property"
          + " \(inspection.quoted(name, among: properties.keys))")
    }
  }

  /// Returns whether an element of an index may have a name, because it is the name of a property or of an element of a
  /// composite attribute, or refers to the object itself.
  static func isElement(_ name: String, of properties: [String: NSPropertyDescription]) -> Bool {
    properties[name] != nil || properties.composite(containing: name) != nil
      || ModelAssembler.objectKeys.contains(name)
  }

  private static func defect(
    of element: NSFetchIndexElementDescription, _ entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) -> String? {
    if let text = element.expressionText {
      return ModelInspection.defect(inExpression: text).map { "is invalid: \($0)" }
    }
    guard let name = element.propertyName else { return "has an element without a property" }
    if let given = element.explicitProperty as? NSExpressionDescription {
      return given.expression == nil ? "has the element '\(name)' without an expression" : nil
    }
    let properties = inspection.properties(of: entity)
    if isElement(name, of: properties) { return nil }
    return "contains the unknown property \(inspection.quoted(name, among: properties.keys))"
  }
}
