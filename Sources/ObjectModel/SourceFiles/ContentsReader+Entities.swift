extension ContentsReader {
  /// Reads an `<entity>`, and passes it to the assembler with the name of its parent entity.
  func readEntity(_ node: XMLNode) throws {
    let name = try required("name", of: node, entity: nil)
    let entity = NSEntityDescription()
    entity.name = name
    entity.isAbstract = node.flag("isAbstract") ?? false
    entity.representedClassName = node["representedClassName"]
    entity.explicitRenamingIdentifier = node.nonempty("elementID")
    entity.versionHashModifier = node.nonempty("versionHashModifier")
    entity.codeGenerationType = node["codeGenerationType"]
    entity.isSyncable = node.flag("syncable")
    entity.spotlightDisplayText =
      node.nonempty("coreSpotlightDisplayNameExpression")
      ?? node.nonempty("spotlightDisplayNameExpression")
    try assembler.add(entity, parent: node.nonempty("parentEntity"))
    var properties: [NSPropertyDescription] = []
    var indexes: [NSFetchIndexDescription] = []
    for child in node.children {
      switch child.name {
      case "attribute": properties.append(try readAttribute(child, entity: name))
      case "relationship": properties.append(try readRelationship(child, entity: name))
      case "fetchedProperty": properties.append(try readFetchedProperty(child, entity: name))
      case "userInfo": entity.userInfo = readUserInfo(child, in: "entity '\(name)'")
      case "fetchIndex": indexes.append(try readIndex(child, entity: name))
      case "compoundIndexes":
        entity.compoundIndexes = readNameGroups(
          child, group: "compoundIndex", element: "index", entity: name)
      case "uniquenessConstraints":
        entity.uniquenessConstraints = readNameGroups(
          child, group: "uniquenessConstraint", element: "constraint", entity: name)
      default: noteUnknownElement(child, in: "entity '\(name)'")
      }
    }
    entity.ownProperties = properties
    // Set once, because each assignment updates all indexes.
    entity.indexes = indexes
    recordUnread(node, in: "entity '\(name)'")
  }

  /// Reads a user info dictionary.
  func readUserInfo(_ node: XMLNode, in place: String) -> [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [:]
    for entry in node.children {
      guard entry.name == "entry" else {
        noteUnknownElement(entry, in: place)
        continue
      }
      if let key = entry["key"] { info[key] = entry["value"] ?? "" }
      recordUnread(entry, in: place)
    }
    recordUnread(node, in: place)
    return info
  }

  private func readNameGroups(
    _ node: XMLNode, group groupName: String, element elementName: String, entity: String
  ) -> [[String]] {
    let place = "entity '\(entity)'"
    recordUnread(node, in: place)
    return children(groupName, of: node, in: place) { group in
      recordUnread(group, in: place)
      return children(elementName, of: group, in: place) { element in
        defer { recordUnread(element, in: place) }
        return element["value"]
      }
    }
  }

  private func readIndex(_ node: XMLNode, entity: String) throws -> NSFetchIndexDescription {
    let name = try required("name", of: node, entity: entity)
    let place = "entity '\(entity)', index '\(name)'"
    let elements = try children("fetchIndexElement", of: node, in: place) { child in
      // Deferred, because reading an attribute is what marks it as known.
      defer { recordUnread(child, in: place) }
      return try readIndexElement(child, entity: entity, index: name)
    }
    let index = NSFetchIndexDescription(name: name, elements: elements)
    index.partialPredicateFormat =
      node.nonempty("partialIndexPredicate") ?? node.nonempty("predicateString")
    recordUnread(node, in: place)
    return index
  }

  private func readIndexElement(
    _ node: XMLNode, entity: String, index: String
  ) throws -> NSFetchIndexElementDescription {
    let typeName = node["type"] ?? NSFetchIndexElementType.binary.modelFileName
    guard let type = NSFetchIndexElementType(modelFileName: typeName) else {
      throw ModelFileError.invalid(
        url, entity: entity, "index '\(index)' has an element of the unknown type '\(typeName)'.")
    }
    let element = NSFetchIndexElementDescription(
      propertyName: node.nonempty("property"), collationType: type)
    element.expressionText = node.nonempty("expression")
    if let name = node["expressionType"] {
      guard let type = NSAttributeType(modelFileName: name) else {
        throw ModelFileError.invalid(
          url, entity: entity, "index '\(index)' has an expression of the unknown type '\(name)'.")
      }
      element.expressionType = type
    }
    guard element.propertyName != nil || element.expressionText != nil else {
      throw ModelFileError.invalid(
        url, entity: entity,
        "an element of index '\(index)' has neither a property nor an expression.")
    }
    switch node["order"] {
    case nil, "ascending": element.isAscending = true
    case "descending": element.isAscending = false
    case let order?:
      throw ModelFileError.invalid(
        url, entity: entity, "index '\(index)' has an element of the unknown order '\(order)'.")
    }
    return element
  }
}
