public import CoreData

/// A property that is the live results of a request.
///
/// ```swift
/// struct PlayerList {
///   @FetchRequest(sortDescriptors: [SortDescriptor(\.name)], predicate: NSPredicate(format: "age > 20"))
///   var players: FetchedResults<Player>
/// }
/// ```
///
/// The results are fetched when they are read first, and followed from then on. `$players` has the
/// predicate and the order, which can be set.
///
/// Compared to SwiftUI: the context is the one that is named, else `NSManagedObjectContext.current` where the
/// property is made or first read, else the one in whose `perform` it is read. There are no
/// animations, and the property belongs to its context's queue rather than to the main actor.
@propertyWrapper
public struct FetchRequest<Result: NSFetchRequestResult> {
  let model: ResultsModel<Result>

  /// The present rows.
  public var wrappedValue: FetchedResults<Result> { FetchedResults(model) }
  /// The results again, whose predicate and order can be set.
  public var projectedValue: FetchedResults<Result> { wrappedValue }

  /// The results of a request; it is copied.
  public init(fetchRequest: NSFetchRequest<Result>, context: NSManagedObjectContext? = nil) {
    model = ResultsModel(fetchRequest, context: context)
  }

  /// The objects of an entity.
  public init(
    entity: NSEntityDescription, sortDescriptors: [NSSortDescriptor],
    predicate: NSPredicate? = nil, context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(
      NSFetchRequest(entity: entity, sortDescriptors, predicate), context: context)
  }
}

extension FetchRequest where Result: NSManagedObject {
  /// The objects of a class, whose entity is that of the context's model.
  @_disfavoredOverload
  public init(
    sortDescriptors: [NSSortDescriptor], predicate: NSPredicate? = nil,
    context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(NSFetchRequest(entity: nil, sortDescriptors, predicate), context: context)
  }

  /// The objects of a class, whose entity is that of the context's model, in an order by Swift's sort
  /// descriptors.
  public init(
    sortDescriptors: [Predicates.SortDescriptor<Result>], predicate: NSPredicate? = nil,
    context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(
      NSFetchRequest(entity: nil, [], predicate), sortDescriptors, context: context)
  }
}

extension NSFetchRequest {
  /// - Parameter entity: nil for the one of the results' class.
  convenience init(
    entity: NSEntityDescription?, _ sortDescriptors: [NSSortDescriptor], _ predicate: NSPredicate?
  ) {
    self.init()
    if let entity { self.entity = entity }
    self.sortDescriptors = sortDescriptors
    self.predicate = predicate
  }
}
