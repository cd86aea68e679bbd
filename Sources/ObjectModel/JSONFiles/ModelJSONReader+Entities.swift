extension ModelJSONReader {
  /// Reads an entity, and passes it to the assembler with the name of its parent.
  func readEntity(_ fields: inout JSONFields) throws {
    let entity = NSEntityDescription()
    let name = try fields.requiredText("name")
    entity.name = name
    entity.representedClassName = try fields.text("class")
    entity.isAbstract = try fields.truth("abstract") ?? false
    let parent = try fields.text("parent")
    entity.explicitRenamingIdentifier = try fields.text("renamingIdentifier")
    entity.versionHashModifier = try fields.text("versionHashModifier")
    entity.spotlightDisplayText = try fields.text("spotlightDisplayName")
    entity.isSyncable = try fields.truth("syncable")
    entity.codeGenerationType = try fields.text("codeGeneration")
    entity.ownProperties = try fields.objects("properties") { property in
      try readProperty(&property, entity: name)
    }
    entity.indexes = try fields.objects("indexes", readIndex)
    entity.compoundIndexes = try fields.textGroups("compoundIndexes")
    entity.uniquenessConstraints = try fields.textGroups("uniquenessConstraints")
    entity.userInfo = try readUserInfo(&fields)
    try fields.finish()
    try assembler.add(entity, parent: parent)
  }

  private func readIndex(_ fields: inout JSONFields) throws -> NSFetchIndexDescription {
    let name = try fields.requiredText("name")
    let predicate = try fields.text("predicate")
    let elements = try fields.objects("elements", readIndexElement)
    let index = NSFetchIndexDescription(name: name, elements: elements)
    index.partialPredicateFormat = predicate
    return index
  }

  private func readIndexElement(
    _ fields: inout JSONFields
  ) throws -> NSFetchIndexElementDescription {
    var type = NSFetchIndexElementType.binary
    if let name = try fields.text("type") {
      guard let known = NSFetchIndexElementType(modelFileName: name) else {
        throw fields.failure("type", "'\(name)' is not an index type.")
      }
      type = known
    }
    let element = NSFetchIndexElementDescription(
      propertyName: try fields.text("property"), collationType: type)
    element.expressionText = try fields.text("expression")
    if let name = try fields.text("expressionType") {
      guard let type = NSAttributeType(modelFileName: name) else {
        throw fields.failure("expressionType", "'\(name)' is not an attribute type.")
      }
      element.expressionType = type
    }
    element.isAscending = try fields.truth("ascending") ?? true
    guard element.propertyName != nil || element.expressionText != nil else {
      throw fields.failure("property", "the key is missing.")
    }
    return element
  }

  func readFetchRequest(_ fields: inout JSONFields) throws -> FetchRequestTemplate {
    var template = FetchRequestTemplate(
      name: try fields.requiredText("name"), entityName: try fields.requiredText("entity"))
    template.predicateFormat = try fields.text("predicate")
    template.havingPredicateFormat = try fields.text("groupPredicate")
    template.fetchLimit = try fields.integer("limit") ?? 0
    template.fetchOffset = try fields.integer("offset") ?? 0
    template.fetchBatchSize = try fields.integer("batchSize") ?? 0
    if let name = try fields.text("resultType") {
      guard let type = FetchResultNames.type(named: name) else {
        throw fields.failure("resultType", "'\(name)' is not a result type.")
      }
      template.setResultType(type)
    }
    // Read the flags after the result type, which changes the defaults of two flags.
    for (name, flag) in FetchResultNames.flags {
      if let truth = try fields.truth(name) { template[keyPath: flag] = truth }
    }
    template.sortKeys = try fields.objects("sort") { key in
      FetchRequestTemplate.SortKey(
        keyPath: try key.requiredText("key"), isAscending: try key.truth("ascending") ?? true,
        selector: try key.text("selector"))
    }
    template.prefetchedKeyPaths = try fields.texts("prefetch") ?? []
    template.propertiesToFetch = try fields.texts("fetch")
    template.propertiesToGroupBy = try fields.texts("groupBy")
    try fields.finish()
    return template
  }
}
