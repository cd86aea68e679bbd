/// The values of one object of an incremental store.
///
/// ```swift
/// let node = NSIncrementalStoreNode(
///   objectID: player.objectID, withValues: ["name": "Ann", "age": 21], version: 1)
/// node.update(withValues: ["name": "Ann", "age": 22], version: 2)
/// print(node.version)  // 2
/// ```
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {
  /// The ID of the object.
  public let objectID: NSManagedObjectID
  private let lock = NSLock()
  private var values: [String: Any]
  private var lockedVersion: UInt64

  /// Creates a node.
  ///
  /// - Parameters:
  ///   - objectID: The ID of the object.
  ///   - values: Values of attributes and IDs of to-one destinations, by property name. For an attribute that is nil,
  ///     pass `NSNull` or no value. For a to-one relationship without a destination, pass `NSNull`; if it has no value,
  ///     the store's `newValue(forRelationship:forObjectWith:with:)` is called.
  ///   - version: A number that changes with the object.
  public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
    self.objectID = objectID
    self.values = values
    lockedVersion = version
    super.init()
  }

  /// Creates a node without values, for an object that does not exist.
  public override convenience init() {
    self.init(objectID: NSManagedObjectID(), withValues: [:], version: 0)
  }

  /// Replaces the values and the version.
  open func update(withValues values: [String: Any], version: UInt64) {
    lock.withLock {
      self.values = values
      lockedVersion = version
    }
  }

  /// A number that changes with the object.
  open var version: UInt64 { lock.withLock { lockedVersion } }

  /// Returns the value that the node contains for a property, which is `NSNull` for a to-one relationship without a
  /// destination and may be `NSNull` for an attribute that is nil; nil if the node contains none. A number is an
  /// `NSNumber`.
  ///
  /// ```swift
  /// let node = NSIncrementalStoreNode(
  ///   objectID: player.objectID, withValues: ["name": "Ann"], version: 1)
  /// if let name = player.entity.propertiesByName["name"] {
  ///   print(node.value(for: name) as? String ?? "")  // Ann
  /// }
  /// ```
  open func value(for property: NSPropertyDescription) -> Any? {
    BridgedValue.bridgedNumber(lock.withLock { values[property.name] })
  }
}
