/// What a store can be asked to read by a request.
package enum ReadOperation {
  /// The rows of a plan, with their values or their keys only, as the plan says.
  case rows(RowQuery)
  /// The keys of a plan's rows, and some values of each.
  case keys(RowQuery, values: [BoundExpression])
  /// How many rows a plan gives.
  case count(RowQuery)
  case dictionaries(DictionaryQuery)
  /// How many dictionaries a plan has.
  case dictionaryCount(DictionaryQuery)
  /// Some values of each row of a plan, or of each of its groups.
  case values([BoundExpression], of: DictionaryQuery, isGrouped: Bool)

  /// The entity whose rows are read.
  package var layout: EntityLayout {
    switch self {
    case .rows(let plan), .keys(let plan, _), .count(let plan): plan.layout
    case .dictionaries(let plan), .dictionaryCount(let plan), .values(_, let plan, _):
      plan.rows.layout
    }
  }
}
