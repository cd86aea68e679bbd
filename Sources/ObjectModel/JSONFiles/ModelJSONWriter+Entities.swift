extension ModelJSONWriter {
  func entity(_ entity: NSEntityDescription) throws -> JSONValue {
    guard let name = entity.name else {
      throw ModelFileError.invalid(url, "an entity has no name.")
    }
    var object = JSONObject()
    object.add("name", name)
    object.add("class", entity.representedClassName)
    object.add("abstract", entity.isAbstract, unless: false)
    object.add("parent", entity.superentity?.name)
    object.add("renamingIdentifier", entity.explicitRenamingIdentifier)
    object.add("versionHashModifier", entity.versionHashModifier)
    object.add("spotlightDisplayName", entity.spotlightDisplayText)
    object.add("syncable", entity.isSyncable)
    object.add("codeGeneration", entity.codeGenerationType)
    object.add("properties", .list(try entity.ownProperties.map { try property($0, of: name) }))
    object.add("indexes", unlessEmpty: entity.indexes.map(index))
    object.add("compoundIndexes", unlessEmpty: entity.compoundIndexNames.map(JSONValue.texts))
    object.add(
      "uniquenessConstraints", unlessEmpty: entity.uniquenessConstraintNames.map(JSONValue.texts))
    try addUserInfo(entity.userInfo, to: &object, entity: name)
    return object.value
  }

  private func index(_ index: NSFetchIndexDescription) -> JSONValue {
    var object = JSONObject()
    object.add("name", index.name)
    object.add("predicate", index.partialPredicateFormat)
    object.add(
      "elements",
      .list(
        index.elements.map { element in
          var object = JSONObject()
          object.add("property", element.propertyName)
          object.add("expression", element.expressionText)
          object.add("expressionType", element.expressionType?.modelFileName)
          if element.collationType != .binary {
            object.add("type", element.collationType.modelFileName)
          }
          object.add("ascending", element.isAscending, unless: true)
          return object.value
        }))
    return object.value
  }

  /// Returns the JSON of a fetch request of the model or of a fetched property.
  func fetchRequest(
    _ template: FetchRequestTemplate, entity: String? = nil, property: String? = nil
  ) throws -> JSONValue {
    func text(_ predicate: TemplatePredicate?) throws -> String? {
      guard let predicate else { return nil }
      // Do not use `predicate.text`: for some predicates, parsing that text results in a different predicate.
      if let text = predicate.fileText { return text }
      throw ModelFileError.invalid(
        url, entity: entity, property: property,
        "JSON cannot represent the predicate '\(predicate.text)' of the fetch request '\(template.name)'."
      )
    }
    var usual = FetchRequestTemplate(name: template.name, entityName: template.entityName)
    // The reader derives the defaults of the flags from the result type. Only other values are written.
    usual.setResultType(template.resultType)
    var object = JSONObject()
    object.add("name", template.name)
    object.add("entity", template.entityName)
    object.add("predicate", try text(template.predicate))
    object.add("groupPredicate", try text(template.havingPredicate))
    object.add("limit", template.fetchLimit, unless: 0)
    object.add("offset", template.fetchOffset, unless: 0)
    object.add("batchSize", template.fetchBatchSize, unless: 0)
    if template.resultType != 0 {
      object.add("resultType", FetchResultNames.name(of: template.resultType))
    }
    for (name, flag) in FetchResultNames.flags {
      object.add(name, template[keyPath: flag], unless: usual[keyPath: flag])
    }
    object.add("sort", unlessEmpty: template.sortKeys.map(sortKey))
    object.add("prefetch", unlessEmpty: template.prefetchedKeyPaths.map { .text($0) })
    object.add("fetch", template.propertiesToFetch.map(JSONValue.texts))
    object.add("groupBy", template.propertiesToGroupBy.map(JSONValue.texts))
    return object.value
  }

  private func sortKey(_ key: FetchRequestTemplate.SortKey) -> JSONValue {
    var object = JSONObject()
    object.add("key", key.keyPath)
    object.add("ascending", key.isAscending, unless: true)
    object.add("selector", key.selector)
    return object.value
  }
}

/// The names in JSON for the result types and flags of a fetch request.
enum FetchResultNames {
  private static let names: [UInt: String] = [
    0: "objects", 1: "identifiers", 2: "dictionaries", 4: "count",
  ]

  /// Returns the name of a result type; for an unknown type, its number as text.
  static func name(of type: UInt) -> String { names[type] ?? "\(type)" }

  /// Returns the result type with a name.
  static func type(named name: String) -> UInt? { names.first { $0.value == name }?.key }

  static var flags: [(name: String, keyPath: WritableKeyPath<FetchRequestTemplate, Bool>)] {
    [
      ("includesSubentities", \.includesSubentities),
      ("includesPropertyValues", \.includesPropertyValues),
      ("includesPendingChanges", \.includesPendingChanges),
      ("returnsObjectsAsFaults", \.returnsObjectsAsFaults),
      ("returnsDistinctResults", \.returnsDistinctResults),
    ]
  }
}
