/// Returns the value inside any number of optionals and `AnyHashable` wrappers; nil if an optional is empty.
///
/// Arguments arrive as `Any`, which may contain an empty optional or an element of a `Set<AnyHashable>`.
package func flattenOptional(_ value: Any?) -> Any? {
  guard let value else { return nil }
  // A fast path for most values: comparing types costs a tenth of a cast.
  if isPlainValue(value) { return value }
  if let wrapper = value as? any Wrapper { return wrapper.flattened }
  return value
}

/// Returns whether a value is an `NSNull`.
///
/// Compares types, because casting a collection to a class first bridges all its members recursively.
package func isNullObject(_ value: Any) -> Bool {
  let type = ObjectIdentifier(type(of: value))
  if type == ObjectIdentifier(AnyHashable.self) { return value is NSNull }
  return type == ObjectIdentifier(NSNull.self)
}

/// Returns whether a value has one of the most common types, which are neither optionals nor objects.
///
/// Comparing types takes a few nanoseconds, a failed cast hundreds.
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
