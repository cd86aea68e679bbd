/// Indexes have names of their own and are over what has a column.
///
/// Models of Apple's own programs have indexes of to-many relationships and several of one name, so
/// these are warnings.
enum IndexRules: EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection) {
    var seen: Set<String> = []
    for index in entity.indexes {
      if index.name.isEmpty {
        // A kind that compiled models may have: an index is nothing that rows are read by.
        inspection.report(
          inspection.model.isCompiled ? .repeatedIndex : .missingName, entity,
          "an index has no name")
      } else if !seen.insert(index.name).inserted {
        inspection.report(.repeatedIndex, entity, "two indexes have the name '\(index.name)'")
      }
      if index.elements.isEmpty {
        inspection.report(.invalidIndex, entity, "the index '\(index.name)' has no elements")
      }
      for element in index.elements {
        if let fault = fault(of: element, entity, &inspection) {
          inspection.report(.invalidIndex, entity, "the index '\(index.name)' \(fault)")
        } else if let name = element.propertyName,
          let reason = inspection.properties(of: entity)[name]?.reasonForNoColumn
        {
          inspection.report(
            .uselessIndex, entity, "the index '\(index.name)' names '\(name)', which is \(reason)")
        }
      }
      if let fault = ModelInspection.fault(inPredicate: index.partialPredicateFormat) {
        inspection.report(.unreadableText, entity, "\(fault) (index '\(index.name)')")
      }
    }
    for name in entity.compoundIndexNames.joined() {
      guard !ModelAssembler.objectKeys.contains(name) else { continue }
      let properties = inspection.properties(of: entity)
      guard properties[name] == nil else { continue }
      inspection.report(
        .invalidIndex, entity,
        "a compound index names the unknown property"
          + " \(inspection.quoted(name, among: properties.keys))")
    }
  }

  private static func fault(
    of element: NSFetchIndexElementDescription, _ entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) -> String? {
    if let text = element.expressionText {
      return ModelInspection.fault(inExpression: text).map { "is faulty: \($0)" }
    }
    guard let name = element.propertyName else { return "has an element without a property" }
    if let given = element.explicitProperty as? NSExpressionDescription {
      return given.expression == nil ? "has the element '\(name)' without an expression" : nil
    }
    let properties = inspection.properties(of: entity)
    guard properties[name] == nil, !ModelAssembler.objectKeys.contains(name) else { return nil }
    let composite = name.split(separator: ".").first.map(String.init) ?? name
    if let composite = properties[composite] as? NSCompositeAttributeDescription,
      composite.element(at: name) != nil
    {
      return nil
    }
    return "names the unknown property \(inspection.quoted(name, among: properties.keys))"
  }
}
