extension KeyedArchive {
  /// The maximum number of levels of collections in a value of a model.
  static var deepestNesting: Int { 16 }

  /// Returns the Swift value of an archived value: a string, number, date, data, UUID, URL, or an array, set or
  /// dictionary of these; nil if there is no value, and for objects that are damaged or of other classes.
  ///
  /// Values that are nested too deeply or expand too much are omitted.
  package func swiftValue(_ value: PropertyListValue?) -> Any? {
    swiftValue(value, depth: 0, budget: WorkBudget())
  }

  private func swiftValue(_ value: PropertyListValue?, depth: Int, budget: WorkBudget) -> Any? {
    // A user info dictionary is one more level around its values.
    guard depth <= Self.deepestNesting + 1, budget.spend() else { return nil }
    if let plain = plain(value) { return Self.swiftValue(ofPlain: plain) }
    guard let instance = instance(value) else { return nil }
    let fields = instance.fields
    switch instance.className {
    case "NSString", "NSMutableString": return string(value)
    case "NSDate":
      guard case .real(let seconds)? = plain(fields["NS.time"]) else { return nil }
      return Date(timeIntervalSinceReferenceDate: seconds)
    case "NSData", "NSMutableData":
      guard case .data(let data)? = plain(fields["NS.data"]) else { return nil }
      return data
    case "NSUUID":
      guard case .data(let bytes)? = plain(fields["NS.uuidbytes"]), bytes.count == 16 else {
        return nil
      }
      return UUID(bytes: bytes)
    case "NSURL":
      guard let text = string(fields["NS.relative"]) else { return nil }
      return URL(string: text, relativeTo: string(fields["NS.base"]).flatMap(URL.init(string:)))
    case "NSDecimalNumber", "NSDecimalNumberPlaceholder": return decimal(fields)
    case "NSArray", "NSMutableArray", "NSOrderedSet":
      return elements(value)?.compactMap { swiftValue($0, depth: depth + 1, budget: budget) }
    case "NSSet", "NSMutableSet":
      let members = (elements(value) ?? []).compactMap {
        swiftValue($0, depth: depth + 1, budget: budget)
      }
      // If a value cannot be a member of a Swift set, return an array instead. Arrays of Any are not hashable, and
      // hashing Foundation's decimal number never returns.
      let hashable = members.compactMap { $0 is NSDecimalNumber ? nil : $0 as? AnyHashable }
      return hashable.count == members.count ? Set(hashable) as Any : members
    case "NSDictionary", "NSMutableDictionary":
      var result: [AnyHashable: Any] = [:]
      for entry in entries(value) ?? [] {
        var key = swiftValue(entry.key, depth: depth + 1, budget: budget)
        // A key is hashed, and hashing Foundation's decimal number never returns.
        if let number = key as? NSDecimalNumber { key = number.decimalValue }
        guard let key = key as? AnyHashable else { continue }
        result[key] = swiftValue(entry.value, depth: depth + 1, budget: budget)
      }
      return result
    default: return nil
    }
  }

  private static func swiftValue(ofPlain value: PropertyListValue) -> Any? {
    switch value {
    case .bool(let truth): NSNumber(value: truth)
    case .integer(let number): NSNumber(value: number)
    case .unsigned(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .date(let date): date
    case .data(let data): data
    case .string(let text): text
    case .uid, .array, .dictionary: nil
    }
  }

  /// Decodes a decimal number: sign, decimal exponent, and a mantissa of eight 16-bit words.
  private func decimal(_ fields: [String: PropertyListValue]) -> NSDecimalNumber? {
    guard case .data(let data)? = plain(fields["NS.mantissa"]), data.count >= 2,
      // A `Decimal` has room for an exponent of 8 bits.
      let exponent = integer(fields["NS.exponent"]), (-128...127).contains(exponent)
    else { return nil }
    let mantissa = Decimal(words: [UInt8](data), order: integer(fields["NS.mantissa.bo"]))
    let isNegative = bool(fields["NS.negative"]) ?? false
    // Archives encode not-a-number as a negative zero, which is not a decimal.
    if mantissa.isZero, isNegative { return NSDecimalNumber.notANumber }
    return NSDecimalNumber(
      decimal: Decimal(mantissa: mantissa, exponent: exponent, isNegative: isNegative))
  }
}

extension UUID {
  /// Creates a UUID from its 16 bytes.
  init(bytes data: Data) {
    self.init(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}
