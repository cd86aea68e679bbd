extension ContentsWriter {
  /// Returns a `<relationship>`.
  func relationship(
    _ relationship: NSRelationshipDescription, entity: String
  ) throws -> ModelElement {
    let inverse = relationship.inverseRelationship
    var element = ModelElement("relationship", ["name": relationship.name])
    element.add("optional", if: relationship.isOptional)
    element.add("transient", if: relationship.isTransient)
    element.add("toMany", if: relationship.isToMany)
    element.add("minCount", relationship.minCount, unless: 0)
    // Models that are built in code use -1 for no limit; a file omits the attribute.
    element.add("maxCount", max(relationship.maxCount, 0), unless: 0)
    element.add("deletionRule", relationship.deleteRule.modelFileName)
    element.add("ordered", if: relationship.isOrdered)
    element.add("destinationEntity", relationship.destinationEntity?.name)
    element.add("inverseName", inverse?.name)
    element.add("inverseEntity", inverse?.owner?.name)
    element.add("spotlightIndexingEnabled", if: relationship.isIndexedBySpotlight)
    element.add("storedInTruthFile", if: relationship.isStoredInExternalRecord)
    element.add("indexed", if: relationship.isIndexed)
    addCommon(relationship, to: &element)
    try rejectRules(of: relationship, entity: entity)
    if let info = try userInfo(relationship.userInfo, entity: entity, property: relationship.name) {
      element.children.append(info)
    }
    return element
  }

  /// Returns a `<fetchedProperty>` with its fetch request.
  func fetchedProperty(
    _ property: NSFetchedPropertyDescription, entity: String
  ) throws -> ModelElement {
    var element = ModelElement("fetchedProperty", ["name": property.name])
    element.add("optional", if: property.isOptional)
    addCommon(property, to: &element)
    try rejectRules(of: property, entity: entity)
    if let template = property.fetchTemplate {
      element.children.append(try fetchRequest(template, entity: entity, property: property.name))
    }
    if let info = try userInfo(property.userInfo, entity: entity, property: property.name) {
      element.children.append(info)
    }
    return element
  }

  private func rejectRules(of property: NSPropertyDescription, entity: String) throws {
    guard let rule = property.validationRules.first else { return }
    throw cannotRepresent("the rule '\(rule.predicateFormat)'", entity, property.name)
  }

  /// Returns a `<fetchRequest>` of the model or of a fetched property.
  func fetchRequest(
    _ template: FetchRequestTemplate, entity: String?, property: String?
  ) throws -> ModelElement {
    var element = ModelElement(
      "fetchRequest", ["name": template.name, "entity": template.entityName])
    if let predicate = template.predicate {
      guard let text = predicate.fileText else {
        throw cannotRepresent(
          "the predicate '\(predicate.text)' of the fetch request '\(template.name)'", entity,
          property)
      }
      element.add("predicateString", text)
    }
    element.add("fetchLimit", template.fetchLimit, unless: 0)
    element.add("fetchOffset", template.fetchOffset, unless: 0)
    element.add("fetchBatchSize", template.fetchBatchSize, unless: 0)
    // The reader derives flags from the result type, so only flags that differ are written.
    var usual = FetchRequestTemplate(name: template.name, entityName: template.entityName)
    usual.setResultType(template.resultType)
    func flag(_ keyPath: KeyPath<FetchRequestTemplate, Bool>) -> Bool? {
      template[keyPath: keyPath] == usual[keyPath: keyPath] ? nil : template[keyPath: keyPath]
    }
    element.add("includeSubentities", truth: flag(\.includesSubentities))
    element.add("includePropertyValues", truth: flag(\.includesPropertyValues))
    element.add("includesPendingChanges", truth: flag(\.includesPendingChanges))
    element.add("returnObjectsAsFaults", truth: flag(\.returnsObjectsAsFaults))
    element.add("returnDistinctResults", truth: flag(\.returnsDistinctResults))
    element.add("resultType", Int(template.resultType), unless: 0)
    let extras: [(String, Bool)] = [
      ("sort descriptors", !template.sortKeys.isEmpty),
      ("relationships to prefetch", !template.prefetchedKeyPaths.isEmpty),
      ("properties to fetch", template.propertiesToFetch != nil),
      ("properties to group by", template.propertiesToGroupBy != nil),
      ("a predicate on groups", template.havingPredicate != nil),
    ]
    // The format has no place for these settings, and a request without them would work differently.
    if let extra = extras.first(where: \.1) {
      throw cannotRepresent("\(extra.0) of the fetch request '\(template.name)'", entity, property)
    }
    return element
  }
}
