extension NSFetchIndexDescription {
  /// The name of the attribute that is marked as indexed for systems without fetch indexes: the only element of this
  /// index, if it is a binary, ascending index of one attribute. Nil for other indexes.
  package final var singleAttributeName: String? {
    guard elements.count == 1, let element = elements.first, element.isAscending,
      element.collationType == .binary, element.expressionText == nil,
      !(element.property is NSRelationshipDescription)
    else { return nil }
    return element.propertyName
  }

  /// The names in the compound index for systems without fetch indexes: the elements of this index, if it is a binary
  /// index of several elements, none of which is a relationship. Nil for other indexes.
  package final var compoundNames: [String]? {
    guard elements.count > 1,
      elements.allSatisfy({
        $0.collationType == .binary && !($0.property is NSRelationshipDescription)
      })
    else { return nil }
    return elements.compactMap { element in
      // The key `self` represents the object itself.
      element.expressionText == "SELF" ? "self" : element.expressionText ?? element.propertyName
    }
  }
}

extension NSEntityDescription {
  /// The indexes that Apple's compiler creates for properties that are marked as indexed, as in models that
  /// predate fetch indexes. Each has the name of its property and belongs to no entity.
  ///
  /// Attributes come first, then relationships, as in a compiled file. Examples are the models of XMPPFramework in
  /// QuickBlox's SDK, compiled by Xcode 16.1, and those of q-municate-services.
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

  /// Sets the `isIndexed` flag of a property if an index is the one that the compiler derived from it.
  ///
  /// - Parameter properties: The entity's own properties by name.
  /// - Returns: Whether the index was derived from a property's flag.
  final func restoreIndexedFlag(
    from index: NSFetchIndexDescription, among properties: [String: NSPropertyDescription]
  ) -> Bool {
    // Every part must be as the compiler creates it, because any other index was declared in the
    // model.
    guard index.elements.count == 1, let element = index.elements.first,
      element.propertyName == index.name, element.isAscending, element.collationType == .binary,
      element.expressionText == nil, index.partialPredicateFormat == nil,
      let property = properties[index.name]
    else { return false }
    property.isIndexed = true
    return true
  }
}
