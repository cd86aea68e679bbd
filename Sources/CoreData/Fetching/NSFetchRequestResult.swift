/// What a fetch request can give: managed objects, object IDs, dictionaries, numbers.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The form in which a fetch request gives its results.
public struct NSFetchRequestResultType: OptionSet, Sendable {
  /// The raw bits, Apple's.
  public let rawValue: UInt

  /// Makes a result type from its raw bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Managed objects; the default.
  public static let managedObjectResultType: NSFetchRequestResultType = []
  /// `NSManagedObjectID`s.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// `NSDictionary`s of the properties to fetch.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// One `NSNumber`: how many objects there are.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// The kinds of request that a coordinator executes.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  /// An `NSFetchRequest`.
  case fetchRequestType = 1
  /// An `NSSaveChangesRequest`.
  case saveRequestType = 2
  /// An insertion of many rows at once.
  case batchInsertRequestType = 5
  /// A change of many rows at once.
  case batchUpdateRequestType = 6
  /// A deletion of many rows at once.
  case batchDeleteRequestType = 7
}

/// A request to the stores of a coordinator.
nonisolated open class NSPersistentStoreRequest: NSObject, NSCopying {
  /// The stores to ask; nil asks all of them, in the order in which they were added.
  open var affectedStores: [NSPersistentStore]?

  /// What is asked for.
  open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// A request that asks for the same; one of a class that does not override this is given itself.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
