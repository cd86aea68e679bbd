import Foundation
import ObjectModel
import Predicates

/// A fetch request with every name resolved and every type checked; what a store runs.
struct FetchPlan {
  let layout: EntityLayout
  var includesSubentities = true
  private(set) var predicate: BoundPredicate?
  private var membership: Membership?
  /// What the predicate was bound from.
  private let format: NSPredicate?
  var sorts: [BoundSort] = []
  /// 0 means no limit.
  var limit = 0
  var offset = 0
  /// The stores that are asked, where the request names some.
  private var affectedOrigins: [StoreOrigin]?
  /// Whether unsaved changes of the contexts on the way to the store count.
  var includesPendingChanges = true
  /// Whether rows carry their values, or their keys only.
  var fetchesValues = true
  /// The request, for stores of the program's own, which are given it as it is.
  private(set) var request: (any FetchExecutable)?
  /// The rows, where they were read before.
  var preread: PrereadRows?
  /// Ends the reading early, for a fetch that may be cancelled.
  var cancellation: Cancellation?

  /// A plan for all rows of an entity.
  init(layout: EntityLayout) {
    self.layout = layout
    format = nil
  }

  /// Binds a request to a model; every mistake in the request is thrown here.
  init<Result>(_ request: NSFetchRequest<Result>, in model: ModelLayout) throws {
    self.request = request
    cancellation = .ofFetch
    layout = try Self.layout(of: request, in: model)
    if request.propertiesToGroupBy?.isEmpty == false, request.resultType != .dictionaryResultType {
      throw CoreDataError.badRequest(
        "Invalid fetch request: GROUP BY requires NSDictionaryResultType (propertiesToGroupBy of a"
          + " request for \(layout.name))")
    }
    affectedOrigins = request.affectedStores?.map(\.engine.origin)
    includesSubentities = request.includesSubentities
    includesPendingChanges = request.includesPendingChanges
    let binder = PredicateBinder(layout)
    format = request.predicate
    predicate = try format.map(binder.bind)
    membership = predicate.map(Membership.init)
    sorts = try (request.sortDescriptors ?? []).map { try Self.sort($0, binder) }
    limit = Self.rows(request.fetchLimit)
    offset = Self.rows(request.fetchOffset)
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

  private static func sort(
    _ descriptor: NSSortDescriptor, _ binder: PredicateBinder
  ) throws -> BoundSort {
    guard let key = descriptor.key else {
      throw CoreDataError.badRequest("a sort descriptor without a key cannot be fetched with")
    }
    guard let comparison = descriptor.stringComparison else {
      throw CoreDataError.badRequest(
        "a sort descriptor with a comparator or selector of its own cannot be fetched with: \(key)")
    }
    let resolved = try binder.resolve(keys: BoundPath.keys(of: key), level: 0)
    guard case .single(let bound) = resolved else {
      throw CoreDataError.badRequest("to-many key not allowed here: cannot sort by \(key)")
    }
    return BoundSort(
      key: bound, ascending: descriptor.ascending,
      comparison: bound.kind == .text ? comparison : .literal)
  }

  /// The entities whose rows can be results.
  var layouts: [EntityLayout] { includesSubentities ? layout.family : [layout] }

  /// Whether an object of an entity can be a result.
  func covers(_ other: EntityLayout) -> Bool {
    includesSubentities ? other.isKind(of: layout) : other === layout
  }

  /// Whether an object is a result, by its state in memory and without limit and offset.
  func matches(_ object: NSManagedObject) throws -> Bool {
    guard covers(object.layout), asksStore(of: object) else { return false }
    guard let evaluator else { return true }
    return try evaluator.matches(object)
  }

  /// Whether the request names no stores.
  var asksAllStores: Bool { affectedOrigins == nil }

  /// Whether results may come from a store.
  func asks(_ origin: StoreOrigin) -> Bool {
    affectedOrigins?.contains { $0 === origin } ?? true
  }

  /// Whether results may come from the store that an object is of, or was assigned to; a new object that was
  /// not may go to any.
  func asksStore(of object: NSManagedObject) -> Bool {
    guard affectedOrigins != nil else { return true }
    if object.key > 0 { return asks(object.origin) }
    let assigned = object.unsafeContext?.assignedStores[ObjectIdentifier(object)]
    return assigned.map { asks($0.engine.origin) } ?? true
  }

  /// The compiled predicate; nil where all objects of the entity are results.
  var evaluator: PredicateEvaluator? { membership?.evaluator }

  /// Whether the predicate names objects by IDs that end with the next save.
  var namesUnsavedObjects: Bool { RelationshipDependency.namesUnsavedObjects(self) }

  /// Whether some part of the predicate is for objects to answer.
  var asksObjects: Bool { predicate?.objectQuestion != nil }

  /// Lets objects answer what no statement can ask: all that the plan covers.
  mutating func answer(by objects: [NSManagedObject]) throws {
    predicate = try predicate?.answered(by: objects, layout)
  }

  /// Tries objects with a predicate that is too large for a statement: all that the plan covers. The predicate then
  /// names those for which it is true.
  mutating func evaluatePredicate(on objects: [NSManagedObject]) throws {
    guard let evaluator else { return }
    predicate = .naming(try objects.filter(evaluator.matches), layout)
  }

  /// Binds the predicate anew: objects that it names have got their permanent IDs.
  mutating func bindAgain() throws {
    predicate = try format.map(PredicateBinder(layout).bind)
    membership = predicate.map(Membership.init)
  }

  /// The compiled predicate, made when the first object is tried: most plans go to a store only.
  ///
  /// A plan belongs to its context's queue.
  private final class Membership {
    private let predicate: BoundPredicate
    lazy var evaluator = PredicateEvaluator(predicate)
    init(_ predicate: BoundPredicate) { self.predicate = predicate }
  }

  /// The plan by the IDs that objects have now: it may have been bound before objects that its predicate names were
  /// saved.
  var present: FetchPlan {
    get throws {
      guard namesUnsavedObjects else { return self }
      var plan = self
      try plan.bindAgain()
      return plan
    }
  }

  /// The relationship paths that membership or order depend on, each as to-one and to-many slots
  /// from the fetched entity.
  var dependencies: [RelationshipDependency] { RelationshipDependency.all(of: self) }
}
