/// Converts values to the types that programs for Apple's platforms expect.
///
/// On these platforms every number in a predicate is an `NSNumber`, which casts to each Swift type that can
/// represent it: `constantValue as? Int`, `as? Double`, `as? Bool`. A Swift number in an `Any` casts only to
/// its own type. Predicates store Swift numbers and bridge them when a program reads them.
package enum BridgedValue {
  /// Returns a number as an `NSNumber` and a Swift collection with bridged numbers; any other value is unchanged. So
  /// are a dictionary whose keys are not strings, and a set that contains a `Decimal`.
  package static func bridged(_ value: Any?) -> Any? {
    guard let value = flattenOptional(value) else { return nil }
    return bridge(value) ?? value
  }

  /// Returns a dictionary with its numbers as `NSNumber` objects, including those in nested collections.
  package static func bridgedDictionary(_ dictionary: [AnyHashable: Any]?) -> [AnyHashable: Any]? {
    dictionary?.mapValues { bridged($0) ?? NSNull() }
  }

  /// Returns a number as an `NSNumber`; any other value is unchanged, including collections.
  package static func bridgedNumber(_ value: Any?) -> Any? {
    guard let value else { return nil }
    if type(of: value) is AnyClass { return value }
    guard let scalar = value as? any ScalarConvertible else { return value }
    let number: NSNumber? = bridge(scalar)
    return number.map { $0 as Any } ?? value
  }

  /// Returns the bridged value; nil if no bridging is needed.
  private static func bridge(_ value: Any) -> Any? {
    // Test the type instead of casting, because casting a Swift value to a class allocates an object.
    if type(of: value) is AnyClass { return nil }
    switch value {
    // These types precede the next case, because they convert to scalars too, but are not numbers.
    case is String, is Date, is UUID, is Data, is URL: return nil
    case let number as any ScalarConvertible: return bridge(number)
    // Every empty array casts to this type, whatever the type of its elements is.
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
    // The scalar of a Boolean is an integer, which would lose the type.
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

  /// Bridges the numbers of a set, except if one is a `Decimal`, because Foundation cannot hash its decimal numbers.
  private static func bridge(_ set: Set<AnyHashable>) -> Set<AnyHashable>? {
    guard set.contains(where: { $0.base is any ScalarConvertible }),
      !set.contains(where: { $0.base is Decimal })
    else { return nil }
    return Set(set.map { element in (bridge(element.base) as? AnyHashable) ?? element })
  }
}
