extension ContentsWriter {
  /// Returns the `<entity>` element of an entity, with all its content.
  func entity(_ entity: NSEntityDescription) throws -> ModelElement {
    let name = entity.name ?? ""
    var element = ModelElement("entity", ["name": name])
    element.add("representedClassName", entity.representedClassName)
    element.add("isAbstract", if: entity.isAbstract)
    element.add("parentEntity", entity.superentity?.name)
    element.add("elementID", entity.explicitRenamingIdentifier)
    element.add("versionHashModifier", entity.versionHashModifier)
    element.add("coreSpotlightDisplayNameExpression", entity.spotlightDisplayText)
    element.add("syncable", truth: entity.isSyncable)
    element.add("codeGenerationType", entity.codeGenerationType)
    element.children = try properties(of: entity, named: name)
    element.children += try entity.indexes.map { try index($0, entity: name) }
    element.children += Self.nameGroups(
      entity.compoundIndexNames, in: "compoundIndexes", group: "compoundIndex", element: "index")
    element.children += Self.nameGroups(
      entity.uniquenessConstraintNames, in: "uniquenessConstraints", group: "uniquenessConstraint",
      element: "constraint")
    if let info = try userInfo(entity.userInfo, entity: name) { element.children.append(info) }
    return element
  }

  /// Returns the entity's own properties: attributes, then relationships, then fetched properties.
  private func properties(
    of entity: NSEntityDescription, named name: String
  ) throws -> [ModelElement] {
    var attributes: [ModelElement] = []
    var relationships: [ModelElement] = []
    var fetched: [ModelElement] = []
    for property in entity.ownProperties {
      switch property {
      case let attribute as NSAttributeDescription:
        attributes.append(try self.attribute(attribute, entity: name))
      case let relationship as NSRelationshipDescription:
        relationships.append(try self.relationship(relationship, entity: name))
      case let property as NSFetchedPropertyDescription:
        fetched.append(try fetchedProperty(property, entity: name))
      default:
        throw cannotRepresent("a property of the class \(type(of: property))", name, property.name)
      }
    }
    return attributes + relationships + fetched
  }

  private static func nameGroups(
    _ groups: [[String]], in listName: String, group groupName: String, element elementName: String
  ) -> [ModelElement] {
    guard !groups.isEmpty else { return [] }
    let children = groups.map { names in
      ModelElement(groupName, children: names.map { ModelElement(elementName, ["value": $0]) })
    }
    return [ModelElement(listName, children: children)]
  }

  private func index(_ index: NSFetchIndexDescription, entity: String) throws -> ModelElement {
    var element = ModelElement("fetchIndex", ["name": index.name])
    element.add("partialIndexPredicate", index.partialPredicateFormat)
    element.children = index.elements.map { part in
      var element = ModelElement("fetchIndexElement")
      element.add("property", part.propertyName)
      element.add("expression", part.expressionText)
      element.add("expressionType", part.expressionType?.modelFileName)
      element.add("type", part.collationType.modelFileName)
      element.add("order", part.isAscending ? "ascending" : "descending")
      return element
    }
    return element
  }
}
