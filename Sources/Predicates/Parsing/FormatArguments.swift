/// The arguments of a format string, consumed in order.
struct FormatArguments {
  private let values: [Any?]
  private var position = 0

  init(_ values: [Any]) {
    self.values = values.map(flattenOptional)
  }

  /// Returns the next argument, converted to the type that its placeholder requires.
  ///
  /// The parser adds the position to the errors.
  mutating func next(as kind: Token.ArgumentKind) throws(InvalidPredicateError) -> Any? {
    guard position < values.count else {
      throw InvalidPredicateError(
        "argument \(position + 1) is missing: \(values.count) passed")
    }
    let value = values[position]
    position += 1
    switch kind {
    case .object:
      guard !(value.map { type(of: $0) is NSPredicate.Type } ?? false) else {
        throw InvalidPredicateError(
          "argument \(position): a whole predicate cannot be an argument; join predicates with"
            + " NSCompoundPredicate")
      }
      // Swift passes an empty optional to Objective-C as `NSNull` (SE-0140).
      return value ?? NSNull()
    case .keyPath:
      if let text = text(of: value) {
        // Check for empty keys here, because the text of `%K` does not pass through the lexer.
        let hasEmptyKey = text.split(separator: ".", omittingEmptySubsequences: false).contains {
          $0.isEmpty || $0 == "@"
        }
        if hasEmptyKey { throw refusal(value, "%K needs the text of a key path, not") }
        return text
      }
      if let path = value as? AnyKeyPath, let name = KeyPathNames.name(of: path) { return name }
      throw refusal(value, "%K needs the text of a key path, not")
    case .integer:
      guard isWhole(value) else { throw refusal(value, "a whole number is needed, not") }
      return value
    case .character:
      if let text = text(of: value), text.unicodeScalars.count == 1 || text.count == 1 {
        return text
      }
      guard isWhole(value) else {
        throw refusal(value, "a character or its code is needed, not")
      }
      return value
    case .pointer:
      if let address = Self.address(of: value) { return address }
      throw refusal(value, "a pointer is needed, not")
    case .double:
      guard let number = Scalar(value).doubleValue else {
        throw refusal(value, "a number is needed, not")
      }
      return number
    case .string:
      guard let text = text(of: value) else { throw refusal(value, "text is needed, not") }
      return text
    }
  }

  private func isWhole(_ value: Any?) -> Bool {
    let scalar = Scalar(value)
    // An integer above `Int64.max` has no `integerValue`.
    if case .unsigned = scalar { return true }
    return scalar.integerValue != nil
  }

  private func text(of value: Any?) -> String? {
    switch value {
    // A C string may be passed for `%s`, as in `printf`.
    case let pointer as UnsafePointer<CChar>: return String(cString: pointer)
    case let pointer as UnsafeMutablePointer<CChar>: return String(cString: pointer)
    default: break
    }
    if case .text(let text) = Scalar(value) { return text }
    return nil
  }

  private static func address(of value: Any?) -> UInt? {
    switch value {
    case let pointer as UnsafeRawPointer: return UInt(bitPattern: pointer)
    case let pointer as UnsafeMutableRawPointer: return UInt(bitPattern: pointer)
    case let pointer as OpaquePointer: return UInt(bitPattern: pointer)
    default:
      guard case .integer(let number) = Scalar(value) else { return nil }
      return UInt(bitPattern: Int(number))
    }
  }

  private func refusal(_ value: Any?, _ reason: String) -> InvalidPredicateError {
    let found = value.map { "\"\($0)\" of type \(type(of: $0))" } ?? "nil"
    return InvalidPredicateError("argument \(position): \(reason) \(found)")
  }
}
