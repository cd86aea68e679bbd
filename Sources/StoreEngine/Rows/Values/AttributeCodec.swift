/// Converts attribute values between three forms: the one that programs use, the one in which objects keep values, and
/// the one that stores write. The last two differ only for transformable values.
package enum AttributeCodec {
  /// Returns a value in the form that programs use.
  package static func external(_ value: StoredValue, _ slot: PropertySlot) -> Any? {
    switch value {
    case .null: return nil
    case .integer(let number):
      return slot.storage == .boolean ? NSNumber(value: number != 0) : NSNumber(value: number)
    case .double(let number):
      switch slot.storage {
      case .date: return Date(timeIntervalSinceReferenceDate: number)
      case .float: return NSNumber(value: Float(number))
      default: return NSNumber(value: number)
      }
    case .decimal(let number): return number
    case .text(let text): return text
    case .data(let data):
      guard slot.storage == .transformable else { return data }
      return BridgedValue.bridgedNumber(TransformableCoding.value(of: data, slot))
    case .uuid(let uuid): return uuid
    case .uri(let uri): return uri
    case .object(let opaque):
      return value.isUnreadable ? nil : BridgedValue.bridgedNumber(opaque.value)
    case .reference(let id): return id
    }
  }

  /// Converts a value that a program passed to the form in which objects keep it.
  ///
  /// - Throws: "Unacceptable type of value for attribute", with the entity, property and types.
  package static func kept(
    _ value: Any?, _ slot: PropertySlot, in layout: EntityLayout
  ) throws -> StoredValue {
    guard let given = value else { return .null }
    if let kept = commonValue(given, slot) { return kept }
    // An `Any` may contain an optional that is nil. Comparing the `Any` with nil does not detect it.
    guard let value = flattenOptional(given), !isNullObject(value) else { return .null }
    if let converted = convert(value, slot.storage) { return converted }
    throw CoreDataError.badRequest(
      "Unacceptable type of value for attribute: property = \"\(layout.name).\(slot.name)\";"
        + " desired type = \(slot.storage.map { "\($0)" } ?? "none"); given type ="
        + " \(type(of: value)); value = \(MessageText.description(of: value)).")
  }

  /// Converts values of the most frequent types, which it recognizes without a bridging cast. Returns nil for others.
  private static func commonValue(_ value: Any, _ slot: PropertySlot) -> StoredValue? {
    let type = type(of: value)
    switch slot.storage {
    case .integer16, .integer32, .integer64:
      if type == Int.self, let value = value as? Int { return .integer(Int64(value)) }
      if type == Int64.self, let value = value as? Int64 { return .integer(value) }
      if type == Int32.self, let value = value as? Int32 { return .integer(Int64(value)) }
      if type == Int16.self, let value = value as? Int16 { return .integer(Int64(value)) }
      if type == NSNumber.self, let number = value as? NSNumber, isWhole(number) {
        return .integer(number.int64Value)
      }
    case .double:
      if type == Double.self, let value = value as? Double { return .double(value) }
      if type == NSNumber.self, let number = value as? NSNumber {
        return .double(number.doubleValue)
      }
    case .string:
      if type == String.self, let value = value as? String { return .text(value) }
    case .date:
      if type == Date.self, let value = value as? Date {
        return .double(value.timeIntervalSinceReferenceDate)
      }
    default: break
    }
    return nil
  }

  /// Returns whether a number is a signed integer.
  private static func isWhole(_ number: NSNumber) -> Bool {
    switch UInt8(bitPattern: number.objCType.pointee) {
    // Other numbers may have a fraction or be too large, which `integer(_:)` handles.
    case UInt8(ascii: "q"), UInt8(ascii: "i"), UInt8(ascii: "s"), UInt8(ascii: "c"): true
    default: false
    }
  }

  private static func convert(_ value: Any, _ storage: AttributeStorage?) -> StoredValue? {
    switch storage {
    case .integer16, .integer32, .integer64:
      return integer(value)
    case .boolean:
      if let flag = value as? Bool { return .integer(flag ? 1 : 0) }
      // Numbers other than 0 and 1 cannot be cast to `Bool`, but every number has a Boolean value.
      return (value as? NSNumber).map { .integer($0.boolValue ? 1 : 0) }
    case .double: return double(value).map(StoredValue.double)
    // Rounded now, so that the value is the same when it is read again.
    case .float: return double(value).map { .double(Double(Float($0))) }
    case .date:
      return (value as? Date).map { .double($0.timeIntervalSinceReferenceDate) }
    case .decimal:
      if let number = value as? NSDecimalNumber { return .decimal(number) }
      if let number = value as? Decimal { return .decimal(NSDecimalNumber(decimal: number)) }
      guard let number = value as? NSNumber else { return nil }
      if number.doubleValue.isNaN { return .decimal(.notANumber) }
      // Converts the decimal digits of the number, because a `Float` converted to a double has more of them. A number
      // that is too large for a decimal is rejected.
      let decimal = NSDecimalNumber(column: number.stringValue)
      return decimal.decimalValue.isNaN ? nil : .decimal(decimal)
    case .string: return (value as? String).map(StoredValue.text)
    case .data: return (value as? Data).map(StoredValue.data)
    case .uuid: return (value as? UUID).map(StoredValue.uuid)
    case .uri: return (value as? URL).map(StoredValue.uri)
    case .transformable, .object: return .object(OpaqueValue(value))
    case nil: return nil
    }
  }

  /// Returns a number without its fraction; nil for a number that does not fit into 64 bits, and for another value.
  private static func integer(_ value: Any) -> StoredValue? {
    if let number = value as? any BinaryInteger {
      return Int64(exactly: number).map(StoredValue.integer)
    }
    guard let number = value as? NSNumber else { return nil }
    // A double represents large integers only approximately, so they are not converted to one.
    if let exact = number as? Int64 { return .integer(exact) }
    return Int64(exactly: number.doubleValue.rounded(.towardZero)).map(StoredValue.integer)
  }

  private static func double(_ value: Any) -> Double? {
    if let number = value as? NSNumber { return number.doubleValue }
    if let number = value as? any BinaryFloatingPoint { return Double(number) }
    return (value as? any BinaryInteger).map { Double($0) }
  }

  /// Returns the form that a store writes, which is data for a transformable value.
  ///
  /// - Throws: If the attribute's value transformer cannot convert the value to data.
  package static func stored(_ value: StoredValue, _ slot: PropertySlot) throws -> StoredValue {
    guard slot.storage == .transformable, case .object(let opaque) = value else { return value }
    return .data(try TransformableCoding.data(of: opaque.value, slot))
  }

  /// Returns the default value that the model declares for new objects.
  package static func defaultValue(_ slot: PropertySlot) -> StoredValue { slot.keptDefault }

  /// Returns a default value of the model in the form in which objects keep it.
  package static func kept(default value: Any?, _ kind: PropertySlot.Kind) -> StoredValue {
    guard let value, case .attribute(let storage) = kind else { return .null }
    return convert(value, storage) ?? .null
  }
}
