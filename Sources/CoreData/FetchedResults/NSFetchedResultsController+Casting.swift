/// What `init(casting:)` of a controller needs: an initialiser of a protocol can give an object that is there.
public protocol FetchedResultsControllerCasting {
  /// What the controller gives.
  associatedtype Result: NSFetchRequestResult
}

extension NSFetchedResultsController: FetchedResultsControllerCasting {
  /// What the controller gives.
  public typealias Result = ResultType
}

extension FetchedResultsControllerCasting {
  /// The same controller, as one of results of another type; nil for what is no controller, and for one whose results
  /// are not of that type.
  ///
  /// Compared to Apple's Core Data: `controller as? NSFetchedResultsController<Person>`. There the type of the results is
  /// known to the compiler alone, and any such cast succeeds; in Swift controllers of different types are different
  /// classes.
  ///
  /// - Parameter controller: the controller.
  public init?(casting controller: Any?) {
    if let same = controller as? Self {
      self = same
      return
    }
    guard Self.self == NSFetchedResultsController<Result>.self,
      let controller = controller as? any CastController, controller.canCast(to: Result.self)
    else { return nil }
    // The results are references of one layout, whatever their class.
    self = unsafeBitCast(controller as AnyObject, to: Self.self)
  }
}

/// A controller of which nothing is known.
private protocol CastController: AnyObject {
  func canCast<Other: NSFetchRequestResult>(to type: Other.Type) -> Bool
}

extension NSFetchedResultsController: CastController {
  /// Whether all results are of a type.
  fileprivate func canCast<Other: NSFetchRequestResult>(to type: Other.Type) -> Bool {
    if Other.self == (any NSFetchRequestResult).self || ResultType.self is Other.Type {
      return true
    }
    switch fetchRequest.resultType {
    case .managedObjectResultType:
      guard let layouts = managedObjectContext.layouts,
        let layout = try? FetchPlan.layout(of: fetchRequest, in: layouts)
      else { return false }
      let shown = fetchRequest.includesSubentities ? layout.family : [layout]
      return shown.allSatisfy { $0.managedObjectClass is Other.Type }
    case .managedObjectIDResultType: return NSManagedObjectID.self is Other.Type
    default: return false
    }
  }
}
