public import CoreData

/// A property wrapper that provides the live results of a request.
///
/// ```swift
/// struct PlayerList {
///   @FetchRequest(sortDescriptors: [SortDescriptor(\.name)], predicate: NSPredicate(format: "age > 20"))
///   var players: FetchedResults<Player>
/// }
/// ```
///
/// The results are fetched when they are first read, and kept up to date from then on. `$players` provides the
/// predicate and the sort order, which can be set.
///
/// Compared to SwiftUI: the context is the one that is passed to the initializer, otherwise
/// `NSManagedObjectContext.current` where the property is initialized or first read, otherwise the context in whose
/// `perform` it is read. There are no animations, and the property must be used on its context's queue instead of the
/// main actor.
@propertyWrapper
public struct FetchRequest<Result: NSFetchRequestResult> {
  let model: ResultsModel<Result>

  /// The current rows.
  public var wrappedValue: FetchedResults<Result> { FetchedResults(model) }
  /// The same results, whose predicate and sort order can be set.
  public var projectedValue: FetchedResults<Result> { wrappedValue }

  /// Makes a property for the results of a request. The request is copied.
  public init(fetchRequest: NSFetchRequest<Result>, context: NSManagedObjectContext? = nil) {
    model = ResultsModel(fetchRequest, context: context)
  }

  /// Makes a property for the objects of an entity.
  public init(
    entity: NSEntityDescription, sortDescriptors: [NSSortDescriptor],
    predicate: NSPredicate? = nil, context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(
      NSFetchRequest(entity: entity, sortDescriptors, predicate), context: context)
  }
}

extension FetchRequest where Result: NSManagedObject {
  /// Makes a property for the objects of a class, whose entity is looked up in the context's model.
  @_disfavoredOverload
  // An empty array literal would otherwise be ambiguous between this and the initializer below.
  public init(
    sortDescriptors: [NSSortDescriptor], predicate: NSPredicate? = nil,
    context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(NSFetchRequest(entity: nil, sortDescriptors, predicate), context: context)
  }

  /// Makes a property for the objects of a class, whose entity is looked up in the context's model, sorted by Swift's
  /// sort descriptors.
  public init(
    sortDescriptors: [Predicates.SortDescriptor<Result>], predicate: NSPredicate? = nil,
    context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(
      NSFetchRequest(entity: nil, [], predicate), sortDescriptors, context: context)
  }
}

extension NSFetchRequest {
  /// - Parameter entity: Nil for the entity of the result type.
  convenience init(
    entity: NSEntityDescription?, _ sortDescriptors: [NSSortDescriptor], _ predicate: NSPredicate?
  ) {
    self.init()
    if let entity { self.entity = entity }
    self.sortDescriptors = sortDescriptors
    self.predicate = predicate
  }
}
