/// The bodies of a property's getter and setter, which call the library's functions for the property's type.
///
/// `$key` stands for the property's key.
struct ValueForm {
  var getter: String
  var setter: String
  /// The name of the property in the model.
  let key: String

  /// - Parameters:
  ///   - name: The property's name; a name such as `primitiveAge` stands for the primitive value.
  ///   - rawType: The type of an enumeration's raw values.
  ///   - modelNames: The names of the models' properties, which never stand for a primitive value.
  init(
    _ type: CanonicalType, named name: String, rawType: CanonicalType?, modelNames: Set<String>
  ) {
    var isOptional = false
    if case .optional = type { isOptional = true }
    let value =
      rawType == nil ? "value" : isOptional ? "value?.rawValue" : "value.rawValue"
    // A property of the model may itself have a name such as `primitiveRoot`.
    if !modelNames.contains(name), let key = Self.primitiveKey(name) {
      self.key = key
      getter =
        rawType == nil
        ? "requiredPrimitiveValue($key)"
        : isOptional ? "primitiveEnumeration($key)" : "requiredPrimitiveEnumeration($key)"
      setter = "setPrimitiveValue(\(value), $key)"
      return
    }
    key = name
    setter = "setManagedValue(\(value), $key)"
    if rawType != nil {
      getter = isOptional ? "managedEnumeration($key)" : "requiredManagedEnumeration($key)"
    } else {
      getter =
        isOptional || Self.scalars.contains(type)
        ? "managedValue($key)" : "requiredManagedValue($key)"
    }
  }

  private static func primitiveKey(_ name: String) -> String? {
    let prefix = "primitive"
    guard name.hasPrefix(prefix), let first = name.dropFirst(prefix.count).first, first.isUppercase
    else { return nil }
    return first.lowercased() + name.dropFirst(prefix.count + 1)
  }

  /// The types whose accessors return a default if the property has no value.
  private static let scalars: Set<CanonicalType> = [
    .standard("Int"), .standard("Int16"), .standard("Int32"), .standard("Int64"),
    .standard("Bool"), .standard("Double"), .standard("Float"),
  ]
}
