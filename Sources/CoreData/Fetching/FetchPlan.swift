/// A fetch request, prepared for execution: the query for the stores, and what the context does with the result.
struct FetchPlan {
  /// The query that stores execute.
  var query: RowQuery
  /// Decides which objects are results.
  private(set) var membership: ResultMembership
  /// The request's predicate, before binding.
  private let format: NSPredicate?
  /// Converts the constants of the request to those of its stores.
  let conversion: ConstantConversion
  /// Whether to include unsaved changes of the fetching context and its ancestors.
  var includesPendingChanges = true
  /// The rows, if they have been read already.
  var preread: PrefetchedRows?

  /// Creates a plan for all rows of an entity.
  init(layout: EntityLayout) {
    query = RowQuery(layout: layout)
    membership = ResultMembership(query)
    format = nil
    conversion = ConstantConversion()
  }

  /// Binds a request to a coordinator's model, and translates the IDs in it to those of its stores.
  ///
  /// - Throws: An error if the request is invalid.
  init<Result>(
    _ request: NSFetchRequest<Result>, in coordinator: NSPersistentStoreCoordinator
  ) throws {
    try self.init(request, in: coordinator.layouts, coordinator.constantConversion)
  }

  /// Binds a request to a model.
  ///
  /// - Throws: An error if the request is invalid.
  init<Result>(
    _ request: NSFetchRequest<Result>, in model: ModelLayout,
    _ conversion: ConstantConversion = ConstantConversion()
  ) throws {
    let layout = try Self.layout(of: request, in: model)
    if request.propertiesToGroupBy?.isEmpty == false, request.resultType != .dictionaryResultType {
      throw CoreDataError.badRequest(
        "Invalid fetch request: GROUP BY requires NSDictionaryResultType (propertiesToGroupBy of a"
          + " request for \(layout.name))")
    }
    let binder = PredicateBinder(layout, conversion: conversion)
    var query = RowQuery(layout: layout)
    query.request = request
    query.cancellation = .ofFetch
    query.includesSubentities = request.includesSubentities
    query.predicate = try request.predicate.map(binder.bind)
    query.sorts = try (request.sortDescriptors ?? []).map { try BoundSort($0, binder) }
    query.limit = Self.rows(request.fetchLimit)
    query.offset = Self.rows(request.fetchOffset)
    self.query = query
    self.conversion = conversion
    format = request.predicate
    membership = ResultMembership(query, stores: request.affectedStores?.map(\.engine.origin))
    includesPendingChanges = request.includesPendingChanges
  }

  /// Returns a limit or offset of a request, clamped so that sums do not overflow.
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
    // As in Apple's Core Data, a request that was created with an entity's name receives the entity when it is
    // executed.
    request.resolveEntity(layout.entity)
    return layout
  }

  var layout: EntityLayout { query.layout }
  private var binder: PredicateBinder { PredicateBinder(layout, conversion: conversion) }
  var sorts: [BoundSort] { query.sorts }

  // MARK: IDs of unsaved objects

  /// Binds the predicate again, after objects that it refers to received permanent IDs.
  mutating func rebind() throws {
    query.predicate = try format.map(binder.bind)
    membership = membership.with(query.predicate)
  }

  /// The plan with the current IDs of the objects in its predicate. These objects may have received permanent IDs since
  /// the predicate was bound.
  var present: FetchPlan {
    get throws {
      guard query.containsUnsavedObjects else { return self }
      var plan = self
      try plan.rebind()
      return plan
    }
  }
}
