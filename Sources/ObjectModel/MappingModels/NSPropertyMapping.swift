/// Says where the value of one property of the destination comes from.
///
/// ```swift
/// let mapping = NSPropertyMapping()
/// mapping.name = "fullName"
/// mapping.valueExpression = NSExpression(format: "$source.name")
/// ```
///
/// Equal to another with the same name and expression. Belongs to whoever made it; a migration that
/// runs reads it on its own thread.
nonisolated open class NSPropertyMapping: NSObject, NSCopying, @unchecked Sendable {
  /// The name of the property in the destination.
  open var name: String?
  /// The expression whose value the property gets; nil leaves it as new objects have it.
  ///
  /// Variables: `$manager`, `$source`, `$destination`, `$entityMapping`, `$propertyMapping`,
  /// `$entityPolicy`.
  open var valueExpression: Predicates.NSExpression?
  /// The program's own values. Numbers read back as `NSNumber`s.
  open var userInfo: [AnyHashable: Any]? {
    didSet { userInfo = BridgedValue.bridgedDictionary(userInfo) }
  }

  /// Makes a mapping without a name or an expression.
  public override init() { super.init() }

  /// Another mapping that says the same.
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
