extension NSFetchIndexDescription {
  /// The attribute that systems before fetch indexes would mark as indexed: the only element of an
  /// ordinary ascending index; nil for other indexes.
  package final var singleAttributeName: String? {
    guard elements.count == 1, let element = elements.first, element.isAscending,
      element.collationType == .binary, element.expressionText == nil,
      !(element.property is NSRelationshipDescription)
    else { return nil }
    return element.propertyName
  }

  /// The names that systems before fetch indexes would list as a compound index: those of an
  /// ordinary index with several elements; nil for other indexes, and where a relationship is among
  /// the elements.
  package final var compoundNames: [String]? {
    guard elements.count > 1,
      elements.allSatisfy({
        $0.collationType == .binary && !($0.property is NSRelationshipDescription)
      })
    else { return nil }
    return elements.compactMap { element in
      // The object itself goes by its key there.
      element.expressionText == "SELF" ? "self" : element.expressionText ?? element.propertyName
    }
  }
}
