/// Checks that each index has a unique name and elements, that each element has a column, and that SQLite can contain
/// the index.
///
/// Models of Apple's own programs contain indexes on to-many relationships and several indexes with the same name, so
/// these two problems are warnings. A store omits an index that SQLite cannot contain, so this is a warning too.
enum IndexRules: EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection) {
    // SQLite ignores the case of ASCII letters in names.
    var names: [String: String] = [:]
    for index in entity.indexes {
      if index.name.isEmpty {
        // Compiled models may contain such indexes. In them this problem is only a warning, unlike `missingName`,
        // because reading rows does not depend on the names of indexes.
        inspection.report(.unnamedIndex, entity, "an index has no name")
      } else if let other = names.updateValue(index.name, forKey: index.name.asciiUppercased) {
        inspection.report(
          .repeatedIndex, entity,
          other == index.name
            ? "two indexes have the name '\(index.name)'"
            : "the names of the indexes '\(other)' and '\(index.name)' differ only in case")
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
      if index.isRTree, let reason = reasonForNoTree(index, inspection.properties(of: entity)) {
        inspection.report(
          .uselessIndex, entity, "the R-tree index '\(index.name)' contains \(reason)")
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

  /// Returns what an R-tree index contains that an R-tree cannot contain; nil if there is nothing.
  private static func reasonForNoTree(
    _ index: NSFetchIndexDescription, _ properties: [String: NSPropertyDescription]
  ) -> String? {
    // An expression that consists only of a key path is allowed.
    if let text = index.elements.lazy.compactMap(\.expressionText).first(where: {
      !isElement($0, of: properties)
    }) {
      return "the expression '\(text)', and R-trees contain only attributes"
    }
    let names = index.elements.compactMap { $0.expressionText ?? $0.propertyName }
    if names.count > Set(names).count { return "an attribute twice" }
    let most = NSFetchIndexDescription.mostRTreeAttributes
    return names.count > most
      ? "\(names.count) attributes, and R-trees contain at most \(most)" : nil
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
