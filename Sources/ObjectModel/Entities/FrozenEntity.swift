/// Data that is computed once from an entity when it becomes immutable.
struct FrozenEntity {
  var properties: [NSPropertyDescription]
  var propertiesByName: [String: NSPropertyDescription]
  var attributesByName: [String: NSAttributeDescription]
  var relationshipsByName: [String: NSRelationshipDescription]
  var versionHash: Data
}

extension NSEntityDescription {
  /// Computes the data for lookups, and makes the entity and its parts immutable.
  final func freeze(versionHash: Data) {
    guard !isImmutable else { return }
    let properties = properties
    let byName = Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    frozen = FrozenEntity(
      properties: properties, propertiesByName: byName,
      attributesByName: byName.compactMapValues { $0 as? NSAttributeDescription },
      relationshipsByName: byName.compactMapValues { $0 as? NSRelationshipDescription },
      versionHash: versionHash)
    isImmutable = true
    for property in ownProperties {
      // This comes first, because it assigns a template, and an immutable property cannot be changed.
      (property as? NSFetchedPropertyDescription)?.settleFetch()
      property.isImmutable = true
      (property as? NSCompositeAttributeDescription)?.freezeElements()
    }
    for index in indexes { index.freeze() }
  }
}

extension NSCompositeAttributeDescription {
  final func freezeElements() {
    for element in elements {
      element.isImmutable = true
      (element as? NSCompositeAttributeDescription)?.freezeElements()
    }
  }
}
