/// A fetch request as a context carries it out: what stores run, and what the context does with the result.
struct FetchPlan {
  /// What stores run.
  var query: RowQuery
  /// Which objects are results.
  private(set) var membership: ResultMembership
  /// What the predicate was bound from.
  private let format: NSPredicate?
  /// Whether unsaved changes of the contexts on the way to the store count.
  var includesPendingChanges = true
  /// The rows, where they were read before.
  var preread: PrefetchedRows?

  /// A plan for all rows of an entity.
  init(layout: EntityLayout) {
    query = RowQuery(layout: layout)
    membership = ResultMembership(query)
    format = nil
  }

  /// Binds a request to a model; every mistake in the request is thrown here.
  init<Result>(_ request: NSFetchRequest<Result>, in model: ModelLayout) throws {
    let layout = try Self.layout(of: request, in: model)
    if request.propertiesToGroupBy?.isEmpty == false, request.resultType != .dictionaryResultType {
      throw CoreDataError.badRequest(
        "Invalid fetch request: GROUP BY requires NSDictionaryResultType (propertiesToGroupBy of a"
          + " request for \(layout.name))")
    }
    let binder = PredicateBinder(layout)
    var query = RowQuery(layout: layout)
    query.request = request
    query.cancellation = .ofFetch
    query.includesSubentities = request.includesSubentities
    query.predicate = try request.predicate.map(binder.bind)
    query.sorts = try (request.sortDescriptors ?? []).map { try BoundSort($0, binder) }
    query.limit = Self.rows(request.fetchLimit)
    query.offset = Self.rows(request.fetchOffset)
    self.query = query
    format = request.predicate
    membership = ResultMembership(query, stores: request.affectedStores?.map(\.engine.origin))
    includesPendingChanges = request.includesPendingChanges
  }

  /// A number of rows that a program asks for, cut to what can be added up.
  static func rows(_ number: Int) -> Int { min(max(0, number), 1 << 48) }

  static func layout<Result>(
    of request: NSFetchRequest<Result>, in model: ModelLayout
  ) throws -> EntityLayout {
    if let entity = request.entity {
      guard let layout = model.layout(of: entity) else {
        throw CoreDataError.unknownEntity(entity.name ?? "", in: model)
      }
      return layout
    }
    guard let name = request.entityName else {
      throw CoreDataError.badRequest("A fetch request must have an entity.")
    }
    guard let layout = model.layout(named: name) else {
      throw CoreDataError.unknownEntity(name, in: model)
    }
    request.resolveEntity(layout.entity)
    return layout
  }

  var layout: EntityLayout { query.layout }
  var sorts: [BoundSort] { query.sorts }

  // MARK: IDs of unsaved objects

  /// Binds the predicate anew: objects that it names have got their permanent IDs.
  mutating func bindAgain() throws {
    query.predicate = try format.map(PredicateBinder(layout).bind)
    membership = membership.with(query.predicate)
  }

  /// The plan by the IDs that objects have now: it may have been bound before objects that its predicate names were
  /// saved.
  var present: FetchPlan {
    get throws {
      guard query.namesUnsavedObjects else { return self }
      var plan = self
      try plan.bindAgain()
      return plan
    }
  }
}
