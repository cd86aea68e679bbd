/// How a property of a type is read and set: by which of the library's functions.
///
/// `$key` stands for the property's key.
struct ValueForm {
  var getter: String
  var setter: String
  private let isPrimitive: Bool

  /// - Parameters:
  ///   - name: the property's name; one as `primitiveAge` is the value that the object itself holds.
  ///   - rawType: the type of an enumeration's raw values.
  init(_ type: CanonicalType, named name: String, rawType: CanonicalType?) {
    isPrimitive = Self.primitiveKey(name) != nil
    if isPrimitive {
      getter = "requiredPrimitiveValue($key)"
      setter = "setPrimitiveValue(value, forKey: $key.name)"
      return
    }
    var isOptional = false
    if case .optional = type { isOptional = true }
    if rawType != nil {
      getter = isOptional ? "managedEnumeration($key)" : "requiredManagedEnumeration($key)"
      setter =
        isOptional
        ? "setManagedValue(value?.rawValue, $key)" : "setManagedValue(value.rawValue, $key)"
      return
    }
    getter =
      isOptional || Self.scalars.contains(type)
      ? "managedValue($key)" : "requiredManagedValue($key)"
    setter = "setManagedValue(value, $key)"
  }

  /// The key of a property of a name.
  func key(_ name: String) -> String { Self.primitiveKey(name) ?? name }

  private static func primitiveKey(_ name: String) -> String? {
    let prefix = "primitive"
    guard name.hasPrefix(prefix), let first = name.dropFirst(prefix.count).first, first.isUppercase
    else { return nil }
    return first.lowercased() + name.dropFirst(prefix.count + 1)
  }

  /// The types that have a value where the property has none.
  private static let scalars: Set<CanonicalType> = [
    .standard("Int"), .standard("Int16"), .standard("Int32"), .standard("Int64"),
    .standard("Bool"), .standard("Double"), .standard("Float"),
  ]
}
