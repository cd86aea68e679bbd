extension ContentsReader {
  /// Reads a `<relationship>`, and passes the names of its destination and inverse to the assembler.
  func readRelationship(_ node: XMLNode, entity: String) throws -> NSRelationshipDescription {
    let name = try required("name", of: node, entity: entity)
    let relationship = NSRelationshipDescription()
    readCommon(node, into: relationship, name: name, entity: entity)
    relationship.isTransient = node.flag("transient") ?? false
    relationship.isIndexed = node.flag("indexed") ?? false
    relationship.isIndexedBySpotlight = node.flag("spotlightIndexingEnabled") ?? false
    relationship.isStoredInExternalRecord = node.flag("storedInTruthFile") ?? false
    relationship.isOrdered = node.flag("ordered") ?? false
    let isToMany = node.flag("toMany") ?? false
    relationship.minCount = try count("minCount", of: node, entity: entity) ?? 0
    // A file contains no maximum for a to-many relationship without a limit.
    relationship.maxCount = try count("maxCount", of: node, entity: entity) ?? (isToMany ? 0 : 1)
    if let text = node["deletionRule"] {
      guard let rule = NSDeleteRule(modelFileName: text) else {
        throw ModelFileError.invalid(
          url, entity: entity, property: name, "'\(text)' is not a deletion rule.")
      }
      relationship.deleteRule = rule
    }
    assembler.connect(
      relationship, of: entity, destination: node.nonempty("destinationEntity"),
      inverse: node.nonempty("inverseName"), inverseEntity: node.nonempty("inverseEntity"))
    for child in node.children where child.name != "userInfo" {
      noteUnknownElement(child, in: "relationship '\(entity).\(name)'")
    }
    recordUnread(node, in: "relationship '\(entity).\(name)'")
    return relationship
  }

  private func count(_ attribute: String, of node: XMLNode, entity: String?) throws -> Int? {
    guard let text = node.nonempty(attribute) else { return nil }
    // Version hashes include counts as 32-bit numbers.
    guard let number = Int(text), Int32(exactly: number) != nil else {
      throw ModelFileError.invalid(
        url, entity: entity, property: node["name"],
        "\(attribute) '\(text)' is not a 32-bit integer.")
    }
    return number
  }

  /// Reads a `<fetchedProperty>` with its fetch request.
  func readFetchedProperty(
    _ node: XMLNode, entity: String
  ) throws -> NSFetchedPropertyDescription {
    let name = try required("name", of: node, entity: entity)
    let property = NSFetchedPropertyDescription()
    readCommon(node, into: property, name: name, entity: entity)
    property.isTransient = true
    // Reads the attribute only so that it is not reported as unknown.
    _ = node.flag("transient")
    for child in node.children {
      switch child.name {
      case "userInfo": break
      case "fetchRequest": property.fetchTemplate = try readFetchRequest(child, entity: entity)
      default: noteUnknownElement(child, in: "fetched property '\(entity).\(name)'")
      }
    }
    recordUnread(node, in: "fetched property '\(entity).\(name)'")
    return property
  }

  /// Reads a `<fetchRequest>` of the model or of a fetched property.
  func readFetchRequest(_ node: XMLNode, entity: String?) throws -> FetchRequestTemplate {
    let name = try required("name", of: node, entity: entity)
    let place = "fetch request '\(name)'"
    var template = FetchRequestTemplate(
      name: name, entityName: try required("entity", of: node, entity: entity))
    template.predicateFormat = node.nonempty("predicateString")
    template.fetchLimit = try count("fetchLimit", of: node, entity: entity) ?? 0
    template.fetchOffset = try count("fetchOffset", of: node, entity: entity) ?? 0
    template.fetchBatchSize = try count("fetchBatchSize", of: node, entity: entity) ?? 0
    let resultType = try count("resultType", of: node, entity: entity) ?? 0
    guard [0, 1, 2, 4].contains(resultType) else {
      throw ModelFileError.invalid(url, "\(place) has the unknown result type \(resultType).")
    }
    template.setResultType(UInt(resultType))
    let flags: [(String, WritableKeyPath<FetchRequestTemplate, Bool>)] = [
      ("includeSubentities", \.includesSubentities),
      ("includePropertyValues", \.includesPropertyValues),
      ("returnObjectsAsFaults", \.returnsObjectsAsFaults),
      ("includesPendingChanges", \.includesPendingChanges),
      ("returnDistinctResults", \.returnsDistinctResults),
    ]
    // Read the flags after the result type, which changes the defaults of two flags.
    for (attribute, keyPath) in flags {
      if let value = node.flag(attribute) { template[keyPath: keyPath] = value }
    }
    for child in node.children { noteUnknownElement(child, in: place) }
    recordUnread(node, in: place)
    return template
  }
}
