/// The value inside any number of optionals and of `AnyHashable`s, nil when one of the optionals is empty.
///
/// Arguments arrive as `Any`, which can hide an empty optional, and an element of a `Set<AnyHashable>`.
package func flattenOptional(_ value: Any?) -> Any? {
  guard let value else { return nil }
  if isPlainValue(value) { return value }
  if let wrapper = value as? any Wrapper { return wrapper.flattened }
  return value
}

/// Whether a value is an `NSNull`.
///
/// A cast of a collection to a class bridges all that is in it first, by recursion.
package func isNullObject(_ value: Any) -> Bool {
  let type = ObjectIdentifier(type(of: value))
  if type == ObjectIdentifier(AnyHashable.self) { return value is NSNull }
  return type == ObjectIdentifier(NSNull.self)
}

/// Whether a value is of one of the commonest types, which are neither optionals nor objects.
///
/// Comparing types takes a few nanoseconds, a cast that fails hundreds.
func isPlainValue(_ value: Any) -> Bool {
  let type = ObjectIdentifier(type(of: value))
  return type == ObjectIdentifier(Int.self) || type == ObjectIdentifier(String.self)
    || type == ObjectIdentifier(Double.self) || type == ObjectIdentifier(Bool.self)
    || type == ObjectIdentifier(Date.self) || type == ObjectIdentifier(UUID.self)
    || type == ObjectIdentifier([String].self) || type == ObjectIdentifier([Int].self)
}

private protocol Wrapper {
  var flattened: Any? { get }
}

extension Optional: Wrapper {
  var flattened: Any? {
    switch self {
    case .none: nil
    case .some(let wrapped): flattenOptional(wrapped)
    }
  }
}

extension AnyHashable: Wrapper {
  var flattened: Any? { flattenOptional(base) }
}
