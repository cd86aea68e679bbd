// The functions of `$manager`, and the keys of `$manager`, `$entityMapping` and `$propertyMapping`, in mapping
// expressions.

extension NSMigrationManager: MessageReceiving {
  package func answer(to selector: String, arguments: [Any?]) throws -> MessageAnswer? {
    switch (selector, arguments.count) {
    case (MappingExpressions.fetchRequest, 2):
      return MessageAnswer(
        try fetchRequest(Self.text(arguments[0], selector), Self.text(arguments[1], selector)))
    case (MappingExpressions.instancesOfMapping, 2):
      let name = try Self.text(arguments[0], selector)
      try requireMapping(name)
      return MessageAnswer(
        destinationInstances(
          forEntityMappingName: name,
          sourceInstances: try MigrationObjects.objects(of: arguments[1])))
    case ("sourceInstancesForEntityMappingNamed:destinationInstances:", 2):
      let name = try Self.text(arguments[0], selector)
      try requireMapping(name)
      return MessageAnswer(
        sourceInstances(
          forEntityMappingName: name,
          destinationInstances: try MigrationObjects.objects(of: arguments[1])))
    case (MappingExpressions.instancesOfRelationship, 2):
      return MessageAnswer(
        try instances(
          ofRelationship: Self.text(arguments[0], selector),
          MigrationObjects.objects(of: arguments[1])))
    default:
      return MessageAnswer(try value(forFunction: selector, arguments: arguments))
    }
  }

  private static func text(_ value: Any?, _ selector: String) throws -> String {
    guard case .text(let text) = Scalar(value) else {
      throw MigrationFailure(
        reason: "the function \(selector) has an argument that is not a string")
    }
    return text
  }

  private func requireMapping(_ name: String) throws {
    guard hasMapping(named: name) else {
      throw MigrationFailure(reason: "there is no entity mapping named \(name)")
    }
  }

  /// Returns a request for the objects of a source entity, without those of its subentities, which have their own
  /// mappings.
  private func fetchRequest(
    _ entityName: String, _ predicate: String
  ) throws -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entityName)
    request.includesSubentities = false
    // Expressions for all objects of an entity contain this predicate, which needs no evaluation.
    if predicate != "TRUEPREDICATE" { request.predicate = try NSPredicate(validating: predicate) }
    return request
  }
}

extension NSMigrationManager: ThrowingKeyValueCoding {
  /// Returns the value of a key in an expression, such as `$manager.sourceContext`; nil for an unknown key.
  public final func value(forKey key: String) -> Any? { try? readValue(forKey: key) }

  package final func readValue(forKey key: String) throws -> Any? {
    switch key {
    case "sourceContext": sourceContext
    case "destinationContext": destinationContext
    case "sourceModel": sourceModel
    case "destinationModel": destinationModel
    case "mappingModel": mappingModel
    case "currentEntityMapping": currentEntityMapping
    case "migrationProgress": NSNumber(value: migrationProgress)
    case "userInfo": userInfo as NSDictionary?
    default: try value(forFunction: key, arguments: [])
    }
  }
}

extension NSEntityMapping: NSKeyValueCoding {
  /// Returns the value of a key in an expression, such as `$entityMapping.userInfo.version`; nil for an unknown key.
  public final func value(forKey key: String) -> Any? {
    switch key {
    case "name": name
    case "mappingType": NSNumber(value: mappingType.rawValue)
    case "sourceEntityName": sourceEntityName
    case "destinationEntityName": destinationEntityName
    case "userInfo": userInfo as NSDictionary?
    default: nil
    }
  }
}

extension NSPropertyMapping: NSKeyValueCoding {
  /// Returns the value of a key in an expression, such as `$propertyMapping.name`; nil for an unknown key.
  public final func value(forKey key: String) -> Any? {
    switch key {
    case "name": name
    case "userInfo": userInfo as NSDictionary?
    default: nil
    }
  }
}
