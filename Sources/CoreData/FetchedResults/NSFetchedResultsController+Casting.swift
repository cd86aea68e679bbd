/// Provides `init(casting:)` to fetched results controllers.
///
/// This is a protocol because only an initializer of a protocol extension can return an existing object.
public protocol FetchedResultsControllerCasting {
  /// The type of the results.
  associatedtype Result: NSFetchRequestResult
}

extension NSFetchedResultsController: FetchedResultsControllerCasting {
  /// The type of the results.
  public typealias Result = ResultType
}

extension FetchedResultsControllerCasting {
  /// Casts a controller to one whose results have a different type. Returns nil if the value is not a controller, if
  /// its results do not have that type, or if their type cannot be determined because the context has no coordinator or
  /// the model does not contain the request's entity.
  ///
  /// The result is the same controller, not a copy. While you use it, do not change the request so that the results have
  /// another type. If this initializer is called on a subclass of `NSFetchedResultsController`, it also returns nil for
  /// a controller of another class.
  ///
  /// Compared to Apple's Core Data: use this instead of `controller as? NSFetchedResultsController<Person>`. In
  /// Objective-C, only the compiler knows the type of the results, so any such cast succeeds. In Swift, controllers
  /// with results of different types are instances of different classes.
  ///
  /// - Parameter controller: The controller to cast.
  ///
  /// ```swift
  /// func count(of list: Any) -> Int {
  ///   let players = NSFetchedResultsController<Player>(casting: list)
  ///   return players?.fetchedObjects?.count ?? 0
  /// }
  /// ```
  public init?(casting controller: Any?) {
    if let same = controller as? Self {
      self = same
      return
    }
    // If `Self` is a subclass, the controller is not an instance of it and cannot be used as one.
    guard Self.self == NSFetchedResultsController<Result>.self,
      let controller = controller as? any CastController, controller.canCast(to: Result.self)
    else { return nil }
    // All results are class references, so both types have the same memory layout.
    self = unsafeBitCast(controller as AnyObject, to: Self.self)
  }
}

/// A controller whose result type is unknown to the caller.
private protocol CastController: AnyObject {
  func canCast<Other: NSFetchRequestResult>(to type: Other.Type) -> Bool
}

extension NSFetchedResultsController: CastController {
  /// Returns whether all results are of a type.
  fileprivate func canCast<Other: NSFetchRequestResult>(to type: Other.Type) -> Bool {
    if Other.self == (any NSFetchRequestResult).self || ResultType.self is Other.Type {
      return true
    }
    return resultClasses?.allSatisfy { $0 is Other.Type && Self.canReturn($0) } ?? false
  }

  /// The classes of the fetched results and of those of the next fetch, because the request may have changed since the
  /// last one. Nil if the next fetch will throw.
  private var resultClasses: [AnyClass]? {
    var layouts: [EntityLayout] = []
    var includesIDs = returnsIDs
    if let results, !returnsIDs { layouts = results.plan.query.layouts }
    switch fetchRequest.resultType {
    case .managedObjectResultType:
      guard let model = managedObjectContext.layouts,
        let layout = try? FetchPlan.layout(of: fetchRequest, in: model)
      else { return nil }
      layouts += fetchRequest.includesSubentities ? layout.family : [layout]
    case .managedObjectIDResultType: includesIDs = true
    default: return nil
    }
    let classes: [AnyClass] = layouts.map { $0.managedObjectClass }
    return includesIDs ? classes + [NSManagedObjectID.self] : classes
  }
}
