/// Turns attribute values between the form they are kept in and the form programs see.
package enum AttributeCodec {
  /// The value as it is given out.
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

  /// A value as it is given in, in the form it is kept in.
  ///
  /// - Throws: "Unacceptable type of value for attribute", with entity, property and types.
  package static func kept(
    _ value: Any?, _ slot: PropertySlot, in layout: EntityLayout
  ) throws -> StoredValue {
    guard let given = value else { return .null }
    if let kept = commonValue(given, slot) { return kept }
    guard let value = flattenOptional(given), !isNullObject(value) else { return .null }
    if let converted = convert(value, slot.storage) { return converted }
    throw CoreDataError.badRequest(
      "Unacceptable type of value for attribute: property = \"\(layout.name).\(slot.name)\";"
        + " desired type = \(slot.storage.map { "\($0)" } ?? "none"); given type ="
        + " \(type(of: value)); value = \(MessageText.description(of: value)).")
  }

  /// The Swift types that attributes are mostly set from, told apart without a bridging cast.
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

  /// Whether a number is kept as a signed integer.
  private static func isWhole(_ number: NSNumber) -> Bool {
    switch UInt8(bitPattern: number.objCType.pointee) {
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
      return (value as? NSNumber).map { .integer($0.boolValue ? 1 : 0) }
    case .double: return double(value).map(StoredValue.double)
    case .float: return double(value).map { .double(Double(Float($0))) }
    case .date:
      return (value as? Date).map { .double($0.timeIntervalSinceReferenceDate) }
    case .decimal:
      if let number = value as? NSDecimalNumber { return .decimal(number) }
      if let number = value as? Decimal { return .decimal(NSDecimalNumber(decimal: number)) }
      guard let number = value as? NSNumber else { return nil }
      if number.doubleValue.isNaN { return .decimal(.notANumber) }
      // By way of the digits, of which a `Float` has fewer. What is too large for a decimal is refused.
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

  /// A whole number, a fraction cut off; nil for what 64 bits do not hold.
  private static func integer(_ value: Any) -> StoredValue? {
    if let number = value as? any BinaryInteger {
      return Int64(exactly: number).map(StoredValue.integer)
    }
    guard let number = value as? NSNumber else { return nil }
    if let exact = number as? Int64 { return .integer(exact) }
    return Int64(exactly: number.doubleValue.rounded(.towardZero)).map(StoredValue.integer)
  }

  private static func double(_ value: Any) -> Double? {
    if let number = value as? NSNumber { return number.doubleValue }
    if let number = value as? any BinaryFloatingPoint { return Double(number) }
    return (value as? any BinaryInteger).map { Double($0) }
  }

  /// The form that a store writes: a transformable's value as data.
  ///
  /// - Throws: when the attribute's value transformer cannot make data of the value.
  package static func stored(_ value: StoredValue, _ slot: PropertySlot) throws -> StoredValue {
    guard slot.storage == .transformable, case .object(let opaque) = value else { return value }
    return .data(try TransformableCoding.data(of: opaque.value, slot))
  }

  /// The value of a new object, from the model.
  package static func defaultValue(_ slot: PropertySlot) -> StoredValue { slot.keptDefault }

  /// The model's default value of a kind of property in the form that is kept.
  package static func kept(default value: Any?, _ kind: PropertySlot.Kind) -> StoredValue {
    guard let value, case .attribute(let storage) = kind else { return .null }
    return convert(value, storage) ?? .null
  }
}
