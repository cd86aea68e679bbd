/// Adapts history predicates to one store. The tokens, object IDs and entities in a predicate may come from any
/// coordinator; they are replaced with the store's own values.
struct HistoryPredicate {
  let identifier: String
  let origin: StoreOrigin
  let model: ModelLayout

  private static let maximumDepth = 1000

  func adapted(_ predicate: NSPredicate, depth: Int = 0) throws -> NSPredicate {
    if depth > Self.maximumDepth {
      throw CoreDataError.badRequest("the predicate of a history request nests too deeply")
    }
    switch predicate.shape {
    case .constant, .block, .custom: return predicate
    case .compound(let type, let parts):
      return NSCompoundPredicate(
        type: type, subpredicates: try parts.map { try adapted($0, depth: depth + 1) })
    case .comparison(let comparison):
      // The nesting is limited, because expressions and constants are traversed recursively.
      try comparison.checkNesting()
      // The initializer below has no parameter for the selector, so such a comparison cannot be rebuilt.
      if comparison.predicateOperatorType == .customSelector { return comparison }
      return NSComparisonPredicate(
        leftExpression: adapted(comparison.leftExpression),
        rightExpression: adapted(comparison.rightExpression),
        modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
        options: comparison.options)
    }
  }

  private func adapted(_ expression: NSExpression) -> NSExpression {
    switch expression.node {
    case .constant(let value?): NSExpression(forConstantValue: adapted(value))
    case .aggregate(let elements): NSExpression(forAggregate: elements.map(adapted))
    default: expression
    }
  }

  private func adapted(_ value: Any) -> Any {
    switch value {
    // A token that does not contain the store precedes all of the store's transactions.
    case let token as NSPersistentHistoryToken: return token.numbers[identifier] ?? 0
    case let id as NSManagedObjectID:
      let id = id.current
      guard id.origin !== origin, id.origin.identifier == origin.identifier,
        let layout = model.layout(named: id.layout.name)
      else { return id }
      return NSManagedObjectID(layout: layout, key: id.key, origin: origin)
    case let object as NSManagedObject: return adapted(object.ownID)
    case let entity as NSEntityDescription: return entity.name ?? ""
    case let type as NSPersistentHistoryChangeType: return type.rawValue
    case let values as [Any]: return values.map(adapted)
    case let values as NSArray: return values.map(adapted)
    case let values as Set<AnyHashable>: return values.map { adapted($0.base) }
    case let values as NSSet: return values.allObjects.map(adapted)
    default: return value
    }
  }
}

/// The values of a transaction, for the keys in predicates and sort descriptors.
struct TransactionKeys: ThrowingKeyValueCoding {
  let row: HistoryTransactionRow
  let storeID: String

  func value(forKey key: String) -> Any? { try? readValue(forKey: key) }

  func readValue(forKey key: String) throws -> Any? {
    switch key {
    case "author": return row.author
    case "bundleID": return row.bundleID
    case "contextName": return row.contextName
    case "processID": return row.processID
    case "storeID": return storeID
    case "timestamp": return row.timestamp
    case "token", "transactionNumber": return row.number
    default: throw HistoryEntities.unknownKey(key, HistoryEntities.transaction)
    }
  }
}

/// The values of a change, for the keys in predicates and sort descriptors.
struct ChangeKeys: ThrowingKeyValueCoding {
  let row: HistoryChangeRow
  let origin: StoreOrigin

  func value(forKey key: String) -> Any? { try? readValue(forKey: key) }

  func readValue(forKey key: String) throws -> Any? {
    switch key {
    case "changeID": return row.id
    case "changeType": return row.type.rawValue
    case "changedEntity": return row.layout.name
    case "changedID": return row.key
    case "changedObjectID":
      return NSManagedObjectID(layout: row.layout, key: row.key, origin: origin)
    default: throw HistoryEntities.unknownKey(key, HistoryEntities.change)
    }
  }
}

extension HistoryEntities {
  static func unknownKey(_ key: String, _ entity: NSEntityDescription) -> NSError {
    let names = entity.attributesByName.keys.sorted()
    let suggestion = NearestName.nearest(to: key, among: names)
    return CoreDataError.badRequest(
      "keypath \(key) not found in entity \(entity.name ?? "") of persistent history"
        + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? "")
        + ", which has \(names.joined(separator: ", "))")
  }
}
