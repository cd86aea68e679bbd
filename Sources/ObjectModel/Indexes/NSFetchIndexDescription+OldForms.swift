extension NSFetchIndexDescription {
  /// The attribute that systems before fetch indexes would mark as indexed: the only element of an
  /// ordinary ascending index; nil for other indexes.
  package final var singleAttributeName: String? {
    guard elements.count == 1, let element = elements.first, element.isAscending,
      element.collationType == .binary, element.expressionText == nil
    else { return nil }
    if let property = element.property, !(property is NSAttributeDescription) { return nil }
    return element.propertyName
  }

  /// The names that systems before fetch indexes would list as a compound index: those of an
  /// ordinary index with several elements, the object's entity among them; nil for other indexes.
  package final var compoundNames: [String]? {
    guard elements.count > 1, elements.allSatisfy({ $0.collationType == .binary }) else {
      return nil
    }
    return elements.compactMap { $0.expressionText ?? $0.propertyName }
  }
}
