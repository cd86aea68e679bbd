/// The values of one object of an atomic store.
///
/// Attributes are kept by name; a to-one relationship as another node, a to-many one as a set of
/// nodes, or an ordered set or array of them where it is ordered.
open class NSAtomicStoreCacheNode: NSObject, @unchecked Sendable {
  /// The object.
  public let objectID: NSManagedObjectID
  /// The values by property name.
  open var propertyCache: NSMutableDictionary?

  /// Makes a node without values.
  public init(objectID moid: NSManagedObjectID) {
    objectID = moid
    super.init()
  }

  /// Makes a node of an object that does not exist.
  public override convenience init() { self.init(objectID: NSManagedObjectID()) }

  /// The value of a property; nil without one.
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
