/// Values as programs for Apple's platforms expect them.
///
/// There every number in a predicate is an `NSNumber`, which casts to each type of Swift that holds
/// it: `constantValue as? Int`, `as? Double`, `as? Bool`. A Swift number in an `Any` casts to its
/// own type alone. Numbers are kept as Swift has them and bridged where a program reads them.
package enum BridgedValue {
  /// A number as an `NSNumber`, a collection with its numbers so; any other value is itself.
  package static func bridged(_ value: Any?) -> Any? {
    guard let value = flattenOptional(value) else { return nil }
    return bridge(value) ?? value
  }

  /// A dictionary with its numbers as `NSNumber`s, in collections too.
  package static func bridgedDictionary(_ dictionary: [AnyHashable: Any]?) -> [AnyHashable: Any]? {
    dictionary?.mapValues { bridged($0) ?? NSNull() }
  }

  /// A number as an `NSNumber`; any other value is itself, and no collection is looked into.
  package static func bridgedNumber(_ value: Any?) -> Any? {
    guard let value else { return nil }
    if type(of: value) is AnyClass { return value }
    guard let scalar = value as? any ScalarConvertible else { return value }
    let number: NSNumber? = bridge(scalar)
    return number.map { $0 as Any } ?? value
  }

  /// The bridged value; nil where it is the value itself.
  private static func bridge(_ value: Any) -> Any? {
    // Looked at by its type: casting a Swift value to a class makes an object.
    if type(of: value) is AnyClass { return nil }
    switch value {
    case is String, is Date, is UUID, is Data, is URL: return nil
    case let number as any ScalarConvertible: return bridge(number)
    case let elements as [String]: return elements.isEmpty ? [Any]() : nil
    case let elements as [Any]: return elements.map { bridged($0) ?? NSNull() }
    case let dictionary as [String: Any]: return dictionary.mapValues { bridged($0) ?? NSNull() }
    case let set as Set<AnyHashable>: return bridge(set)
    default: return nil
    }
  }

  private static func bridge(_ number: any ScalarConvertible) -> NSNumber? {
    switch number {
    case let value as Int: NSNumber(value: value)
    case let value as Bool: NSNumber(value: value)
    case let value as Double: NSNumber(value: value)
    default:
      switch number.scalar {
      case .integer(let value): NSNumber(value: value)
      case .unsigned(let value): NSNumber(value: value)
      case .double(let value):
        number is Float ? NSNumber(value: Float(value)) : NSNumber(value: value)
      case .decimal(let value): NSDecimalNumber(decimal: value)
      default: nil
      }
    }
  }

  /// Foundation cannot hash its decimal numbers, so a set of such stays as it is.
  private static func bridge(_ set: Set<AnyHashable>) -> Set<AnyHashable>? {
    guard set.contains(where: { $0.base is any ScalarConvertible }),
      !set.contains(where: { $0.base is Decimal })
    else { return nil }
    return Set(set.map { element in (bridge(element.base) as? AnyHashable) ?? element })
  }
}
