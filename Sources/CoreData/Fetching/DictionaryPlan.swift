/// A request for dictionaries, prepared for execution by a context.
struct DictionaryPlan {
  var rows: FetchPlan
  /// The query as it was bound to the model. Its `rows` do not include later changes to ``rows``.
  private let bound: DictionaryQuery
  /// Binds the request to the coordinator's model again.
  private let bind: () throws -> DictionaryPlan

  init<Result>(
    _ request: NSFetchRequest<Result>, in coordinator: NSPersistentStoreCoordinator
  ) throws {
    rows = try FetchPlan(request, in: coordinator)
    bound = try DictionaryQuery(
      rows: rows.query, properties: request.propertiesToFetch ?? [],
      groups: request.propertiesToGroupBy ?? [], having: request.havingPredicate,
      isDistinct: request.returnsDistinctResults, conversion: rows.conversion)
    bind = { try DictionaryPlan(request, in: coordinator) }
  }

  /// The query that stores execute.
  var query: DictionaryQuery {
    var query = bound
    query.rows = rows.query
    return query
  }

  /// Whether several rows can result in one dictionary.
  var collapsesRows: Bool { bound.collapsesRows }

  /// The plan with the current IDs of the objects in its predicates; see ``FetchPlan/present``.
  var present: DictionaryPlan {
    get throws {
      guard RelationshipDependency.containsUnsavedObjects(query) else { return self }
      var plan = try bind()
      plan.rows.query.cancellation = rows.query.cancellation
      return plan
    }
  }
}
