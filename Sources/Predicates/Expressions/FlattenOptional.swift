import Foundation

/// The value inside any number of optionals, nil when one of them is empty.
///
/// Arguments arrive as `Any`, which can hide an empty optional.
package func flattenOptional(_ value: Any?) -> Any? {
  guard let value else { return nil }
  if isPlainValue(value) { return value }
  if let optional = value as? any AnyOptional { return optional.flattened }
  return value
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

private protocol AnyOptional {
  var flattened: Any? { get }
}

extension Optional: AnyOptional {
  var flattened: Any? {
    switch self {
    case .none: nil
    case .some(let wrapped): flattenOptional(wrapped)
    }
  }
}
