import Foundation

/// The value inside any number of optionals, nil when one of them is empty.
///
/// Arguments arrive as `Any`, which can hide an empty optional.
package func flattenOptional(_ value: Any?) -> Any? {
  guard let value else { return nil }
  if let optional = value as? any AnyOptional { return optional.flattened }
  return value
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
