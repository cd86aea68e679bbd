/// The values of one object of an atomic store.
///
/// The value of a to-one relationship is another node. The value of a to-many relationship is a set of nodes, or an
/// ordered set or array of nodes if the relationship is ordered.
///
/// ```swift
/// let node = NSAtomicStoreCacheNode(objectID: person.objectID)
/// node.setValue("Lovelace", forKey: "lastName")
/// print(node.value(forKey: "lastName") as? String ?? "")  // Lovelace
/// ```
open class NSAtomicStoreCacheNode: NSObject, @unchecked Sendable {
  /// The ID of the object.
  public let objectID: NSManagedObjectID
  /// The values by property name.
  open var propertyCache: NSMutableDictionary?

  /// Creates a node without values.
  public init(objectID moid: NSManagedObjectID) {
    objectID = moid
    super.init()
  }

  /// Creates a node of an object that does not exist.
  public override convenience init() { self.init(objectID: NSManagedObjectID()) }

  /// Returns the value of a property; nil if it has none.
  open func value(forKey key: String) -> Any? { propertyCache?.object(forKey: key) }

  /// Sets or removes the value of a property.
  open func setValue(_ value: Any?, forKey key: String) {
    let cache = propertyCache ?? NSMutableDictionary()
    propertyCache = cache
    if let value {
      cache.setObject(value, forKey: key as NSString)
    } else {
      cache.removeObject(forKey: key)
    }
  }
}
