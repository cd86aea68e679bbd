/// A mapping that provides the value of a property of destination objects.
///
/// ```swift
/// let mapping = NSPropertyMapping()
/// mapping.name = "fullName"
/// mapping.valueExpression = NSExpression(format: "$source.name")
/// ```
///
/// Two mappings are equal if they have the same name and expression. A mapping is not thread-safe; a running
/// migration reads it on the migration's thread.
nonisolated open class NSPropertyMapping: NSObject, NSCopying, @unchecked Sendable {
  /// The name of the property in the destination.
  open var name: String?
  /// The expression that provides the property's value; nil to keep the value with which a new object starts.
  ///
  /// Variables: `$manager`, `$source`, `$destination`, `$entityMapping`, `$propertyMapping`,
  /// `$entityPolicy`.
  open var valueExpression: Predicates.NSExpression?
  /// Your program's own values. Numbers are returned as `NSNumber`.
  open var userInfo: [AnyHashable: Any]? {
    didSet { userInfo = BridgedValue.bridgedDictionary(userInfo) }
  }

  /// Creates a mapping without a name or an expression.
  public override init() { super.init() }

  /// Returns an equal mapping.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPropertyMapping()
    copy.name = name
    copy.valueExpression = valueExpression
    copy.userInfo = userInfo
    return copy
  }

  open override func copy() -> Any { copy(with: nil) }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPropertyMapping else { return false }
    return self === other || name == other.name && valueExpression == other.valueExpression
  }

  open override var hash: Int { name.hashValue }

  open override var description: String {
    "<NSPropertyMapping> name = \(name ?? "nil"), valueExpression = "
      + (valueExpression?.description ?? "nil")
  }
}
