/// A read that a request needs from a store.
package enum ReadOperation {
  /// The rows of a query, with their values or only with their keys, as the query requires.
  case rows(RowQuery)
  /// The keys of a query's rows, and some values of each row.
  case keys(RowQuery, values: [BoundExpression])
  /// The number of a query's rows.
  case count(RowQuery)
  case dictionaries(DictionaryQuery)
  /// The number of a query's dictionaries.
  case dictionaryCount(DictionaryQuery)
  /// Some values of each row of a query, or of each of its groups.
  case values([BoundExpression], of: DictionaryQuery, isGrouped: Bool)

  /// The entity of the rows.
  package var layout: EntityLayout {
    switch self {
    case .rows(let plan), .keys(let plan, _), .count(let plan): plan.layout
    case .dictionaries(let plan), .dictionaryCount(let plan), .values(_, let plan, _):
      plan.rows.layout
    }
  }
}
