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

extension NSEntityDescription {
  /// The indexes that Apple's compiler makes of the properties that are marked as indexed, the form of
  /// models before fetch indexes: each is named as its property and belongs to no entity.
  ///
  /// Attributes come first, then relationships, as in the file. So the models of XMPPFramework stand,
  /// compiled by Xcode 16.1, in QuickBlox' SDK, and those of q-municate-services in its bundles.
  final var automaticIndexes: [NSFetchIndexDescription] {
    let indexed = ownProperties.filter(\.isIndexed)
    let relationships = indexed.filter { $0 is NSRelationshipDescription }
    let others = indexed.filter { !($0 is NSRelationshipDescription) }
    return (others + relationships).map { property in
      NSFetchIndexDescription(
        name: property.name,
        elements: [
          NSFetchIndexElementDescription(propertyName: property.name, collationType: .binary)
        ])
    }
  }

  /// Takes an index for one that the compiler made of a property's mark, if it is one.
  ///
  /// - Parameter properties: The own properties by name.
  /// - Returns: Whether it was, and the property is marked now.
  final func absorb(
    _ index: NSFetchIndexDescription, among properties: [String: NSPropertyDescription]
  ) -> Bool {
    guard index.elements.count == 1, let element = index.elements.first,
      element.propertyName == index.name, element.isAscending, element.collationType == .binary,
      element.expressionText == nil, index.partialPredicateFormat == nil,
      let property = properties[index.name]
    else { return false }
    property.isIndexed = true
    return true
  }
}
