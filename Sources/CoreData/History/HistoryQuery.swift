/// A request for history with its mistakes found: what is asked for, in what order and how many.
///
/// SQL narrows the rows by token and date (`HistoryBound`). Predicates and sort descriptors are evaluated in memory,
/// because they name properties of the history's objects, not columns (`TransactionKeys`, `ChangeKeys`). So SQLite
/// applies the limit only where there are neither (`sqlLimit`).
struct HistoryQuery {
  /// Whether the fetch request is for changes.
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
        "a request for history is for transactions or changes, not for \(name ?? ""): see"
          + " NSPersistentHistoryTransaction.entityDescription and"
          + " NSPersistentHistoryChange.entityDescription")
    }
  }

  /// Whether the result says anything of changes.
  var needsChanges: Bool {
    switch resultType {
    case .objectIDs, .changesOnly, .transactionsAndChanges: true
    case .statusOnly, .count, .transactionsOnly: isOfChanges
    }
  }

  /// How many rows of one store can be in the result; nil for any number.
  private var most: Int? { limit > 0 ? limit + offset : nil }

  /// The rows that SQLite can stop after.
  var sqlLimit: Int? { predicate == nil && sortDescriptors.isEmpty ? most : nil }

  /// Those of one store's rows that may be in the result, in its order.
  func chosen<Row>(
    of rows: [Row], _ words: HistoryPredicate, _ keys: (Row) -> any ThrowingKeyValueCoding
  ) throws -> [Row] {
    var rows = rows
    if let predicate {
      let own = try words.own(predicate)
      rows = try rows.filter { try own.truth(with: keys($0), nilRule: .foundation) == true }
    }
    rows = try sorted(rows, keys)
    return most.map { Array(rows.prefix($0)) } ?? rows
  }

  /// Rows in the order of the sort descriptors; what they leave open stays as it is.
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
        return left.0 < right.0
      }
      .map(\.1)
  }

  /// The part that limit and offset leave, once the rows of all stores are together.
  func limited<Row>(_ rows: [Row]) -> [Row] {
    let rest = rows.dropFirst(offset)
    return Array(limit > 0 ? rest.prefix(limit) : rest)
  }
}
