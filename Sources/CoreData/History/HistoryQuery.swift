/// A validated history request: what to return, in which order and how many.
///
/// SQL narrows the rows by token and date (`HistoryBound`). Predicates and sort descriptors are evaluated in memory,
/// because they refer to properties of the history's objects, not to columns (`TransactionKeys`, `ChangeKeys`). So the
/// store applies the limit only if the request has neither, or if they use only the transaction number, as those for
/// one page of a list do (`slice`).
struct HistoryQuery {
  /// Whether the fetch request is for changes rather than transactions.
  let isOfChanges: Bool
  let predicate: NSPredicate?
  let sortDescriptors: [NSSortDescriptor]
  let limit: Int
  let offset: Int
  let resultType: NSPersistentHistoryResultType

  init(_ request: NSPersistentHistoryChangeRequest) throws {
    let fetch = request.fetchRequest
    resultType = request.resultType
    predicate = fetch?.predicate
    sortDescriptors = fetch?.sortDescriptors ?? []
    limit = FetchPlan.rows(fetch?.fetchLimit ?? 0)
    offset = FetchPlan.rows(fetch?.fetchOffset ?? 0)
    let name = (fetch?.entity?.name ?? fetch?.entityName)?.uppercased()
    switch name {
    case nil, "TRANSACTION": isOfChanges = false
    case "CHANGE": isOfChanges = true
    default:
      throw CoreDataError.badRequest(
        "a history request cannot fetch \(name ?? ""): use the entity"
          + " NSPersistentHistoryTransaction.entityDescription or"
          + " NSPersistentHistoryChange.entityDescription")
    }
  }

  /// Whether the result depends on changes.
  var needsChanges: Bool {
    switch resultType {
    case .objectIDs, .changesOnly, .transactionsAndChanges: true
    case .statusOnly, .count, .transactionsOnly: isOfChanges
    }
  }

  /// The maximum number of rows that one store provides, including those that the offset skips; nil for no limit.
  private var rowLimit: Int? { limit > 0 ? limit + offset : nil }

  /// The number of changes after which a store can stop reading; nil if it has to return all changes.
  var changeLimit: Int? { predicate == nil && sortDescriptors.isEmpty ? rowLimit : nil }

  /// The transactions to read from each store, before the predicate is evaluated.
  var slice: HistorySlice {
    var slice = HistorySlice()
    if let predicate {
      guard let number = upperBound(in: predicate) else { return slice }
      slice.before = number
    }
    if let descriptor = sortDescriptors.first {
      guard sortDescriptors.count == 1, descriptor.key == Self.number,
        descriptor.stringComparison == .literal
      else { return slice }
      slice.isNewestFirst = !descriptor.ascending
    }
    slice.limit = rowLimit
    return slice
  }

  private static let number = "transactionNumber"

  /// Returns the number in `transactionNumber < number`; nil for any other predicate.
  private func upperBound(in predicate: NSPredicate) -> Int64? {
    guard case .comparison(let comparison) = predicate.shape,
      comparison.predicateOperatorType == .lessThan,
      comparison.comparisonPredicateModifier == .direct,
      case .keyPath(Self.number) = comparison.leftExpression.node,
      case .constant(let value) = comparison.rightExpression.node,
      case .integer(let number) = Scalar(value)
    else { return nil }
    return number
  }

  /// Returns the rows of one store that may be in the result, in the result's order.
  func selected<Row>(
    from rows: [Row], _ predicates: HistoryPredicate, _ keys: (Row) -> any ThrowingKeyValueCoding
  ) throws -> [Row] {
    var rows = rows
    if let predicate {
      let adapted = try predicates.adapted(predicate)
      rows = try rows.filter { try adapted.truth(with: keys($0), nilRule: .foundation) == true }
    }
    rows = try sorted(rows, keys)
    // The offset applies to the rows of all stores together, so each store also provides the rows
    // that the offset may skip.
    return rowLimit.map { Array(rows.prefix($0)) } ?? rows
  }

  /// Returns rows sorted by the sort descriptors. Rows that compare equal keep their order.
  func sorted<Row>(_ rows: [Row], _ keys: (Row) -> any ThrowingKeyValueCoding) throws -> [Row] {
    if sortDescriptors.isEmpty { return rows }
    return try rows.enumerated().map { ($0.offset, $0.element, keys($0.element)) }
      .sorted { left, right in
        for descriptor in sortDescriptors {
          switch try descriptor.order(of: left.2, and: right.2) {
          case .orderedSame: continue
          case .orderedAscending: return true
          case .orderedDescending: return false
          }
        }
        // Swift's `sorted` is not guaranteed to be stable.
        return left.0 < right.0
      }
      .map(\.1)
  }

  /// Returns the rows within the limit and offset. Call it with the rows of all stores.
  func limited<Row>(_ rows: [Row]) -> [Row] {
    let rest = rows.dropFirst(offset)
    return Array(limit > 0 ? rest.prefix(limit) : rest)
  }
}
