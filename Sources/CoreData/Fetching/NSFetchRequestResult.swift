// A marker protocol conforms to itself, so `NSFetchRequest<NSFetchRequestResult>` is a valid type.
/// The type of a fetch request's results: managed objects, object IDs, dictionaries or numbers.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The kind of results that a fetch request returns.
public struct NSFetchRequestResultType: OptionSet, Sendable {
  /// The raw value.
  public let rawValue: UInt

  /// Creates a result type from its raw value.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Managed objects; the default.
  public static let managedObjectResultType: NSFetchRequestResultType = []
  /// `NSManagedObjectID`s.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// `NSDictionary`s of the properties to fetch.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// A single `NSNumber`: the number that `count(for:)` returns.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// The kinds of request that a coordinator executes.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  /// An `NSFetchRequest`.
  case fetchRequestType = 1
  /// An `NSSaveChangesRequest`.
  case saveRequestType = 2
  /// An `NSBatchInsertRequest`.
  case batchInsertRequestType = 5
  /// An `NSBatchUpdateRequest`.
  case batchUpdateRequestType = 6
  /// An `NSBatchDeleteRequest`.
  case batchDeleteRequestType = 7
}

/// A request to the stores of a coordinator.
nonisolated open class NSPersistentStoreRequest: NSObject, NSCopying {
  /// The stores that execute the request; nil means all stores, in the order in which they were added.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.affectedStores = coordinator.persistentStores.filter { !$0.isReadOnly }
  /// let people = try context.fetch(request)
  /// ```
  open var affectedStores: [NSPersistentStore]?

  /// The kind of request.
  open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// Returns a copy of the request, or the request itself if its class does not override this method.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
