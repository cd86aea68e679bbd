extension Scalar {
  /// Returns the value of a property that Apple documents for the value's Foundation class, such as the `length` of a
  /// string; null for null, and for a part that a URL lacks.
  ///
  /// - Throws: An ``InvalidPredicateError`` for a key that the value does not have.
  package func value(forKey key: String) throws -> Scalar {
    if let value = knownValue(forKey: key) { return value }
    if isNull || hasOptional(key) { return .null }
    guard let boxed else { return .null }
    if key == "description" { return .text(MessageText.text(of: boxed)) }
    throw KeyPathEvaluator.unknownKey(key, of: boxed)
  }

  private func knownValue(forKey key: String) -> Scalar? {
    if key == "self" || key == "SELF" { return self }
    switch self {
    case .null: return .null
    case .text(let text): return Scalar.value(forKey: key, ofText: text)
    case .integer, .unsigned, .double, .decimal: return number(forKey: key)
    case .date(let date): return Scalar.value(forKey: key, ofDate: date)
    case .data(let data): return key == "length" ? .integer(Int64(data.count)) : nil
    case .uuid(let uuid):
      return key == "UUIDString" || key == "uuidString" ? .text(uuid.uuidString) : nil
    case .url(let url): return Scalar.value(forKey: key, ofURL: url)
    case .other: return nil
    }
  }

  /// Returns whether the value has a property with this name that may be nil.
  private func hasOptional(_ key: String) -> Bool {
    guard case .url = self else { return false }
    return ["host", "scheme", "query", "fragment", "port", "user", "password"].contains(key)
  }

  private static func value(forKey key: String, ofText text: String) -> Scalar? {
    switch key {
    case "length": .integer(Int64(text.utf16.count))
    case "uppercaseString", "uppercased": .text(text.uppercased())
    case "lowercaseString", "lowercased": .text(text.lowercased())
    case "capitalizedString", "capitalized": .text(text.capitalized)
    case "localizedUppercaseString": .text(text.uppercased(with: .current))
    case "localizedLowercaseString": .text(text.lowercased(with: .current))
    case "localizedCapitalizedString": .text(text.capitalized(with: .current))
    case "intValue": .integer(Int64(Int32(clamping: numberText(text).integerValue)))
    case "integerValue", "longLongValue": .integer(Int64(numberText(text).integerValue))
    case "doubleValue": .double(numberText(text).doubleValue)
    case "floatValue": .double(Double(Float(numberText(text).doubleValue)))
    case "boolValue": .integer(NSString(string: text).boolValue ? 1 : 0)
    case "lastPathComponent": .text(PathText.lastComponent(of: text))
    case "pathExtension": .text(PathText.pathExtension(of: text))
    case "stringByDeletingLastPathComponent": .text(PathText.deletingLastComponent(of: text))
    case "stringByDeletingPathExtension": .text(PathText.deletingExtension(of: text))
    case "decomposedStringWithCanonicalMapping": .text(text.decomposedStringWithCanonicalMapping)
    case "precomposedStringWithCanonicalMapping":
      .text(text.precomposedStringWithCanonicalMapping)
    default: nil
    }
  }

  /// Returns a string up to its first character above U+FFFF, which cannot be part of a number. Foundation's
  /// scanner stops the program if it finds such a character where a number should begin.
  private static func numberText(_ text: String) -> NSString {
    guard text.utf8.contains(where: { $0 >= 0xF0 }) else { return NSString(string: text) }
    return NSString(
      string: String(String.UnicodeScalarView(text.unicodeScalars.prefix { $0.value <= 0xFFFF })))
  }

  private func number(forKey key: String) -> Scalar? {
    switch key {
    case "intValue": .integer(Int64(Int32(truncatingIfNeeded: clampedInteger)))
    case "shortValue": .integer(Int64(Int16(truncatingIfNeeded: clampedInteger)))
    case "integerValue", "longValue", "longLongValue": .integer(clampedInteger)
    case "doubleValue": doubleValue.map(Scalar.double)
    case "floatValue": doubleValue.map { .double(Double(Float($0))) }
    case "boolValue": .integer(isZero ? 0 : 1)
    case "stringValue": .text(ConstantPrinter.number(self))
    default: nil
    }
  }

  /// The number truncated to an integer and clamped to 64 bits.
  private var clampedInteger: Int64 {
    if let integerValue { return integerValue }
    let double = (doubleValue ?? 0).rounded(.towardZero)
    if double.isNaN { return 0 }
    return Int64(exactly: double) ?? (double < 0 ? .min : .max)
  }

  private static func value(forKey key: String, ofDate date: Date) -> Scalar? {
    switch key {
    case "timeIntervalSinceReferenceDate": .double(date.timeIntervalSinceReferenceDate)
    case "timeIntervalSince1970": .double(date.timeIntervalSince1970)
    case "timeIntervalSinceNow": .double(date.timeIntervalSinceNow)
    default: nil
    }
  }

  private static func value(forKey key: String, ofURL url: URL) -> Scalar? {
    switch key {
    case "absoluteString": .text(url.absoluteString)
    case "relativeString": .text(url.relativeString)
    case "path": .text(url.path)
    case "lastPathComponent": .text(url.lastPathComponent)
    case "pathExtension": .text(url.pathExtension)
    case "isFileURL", "fileURL": .integer(url.isFileURL ? 1 : 0)
    case "host": url.host.map(Scalar.text)
    case "scheme": url.scheme.map(Scalar.text)
    case "query": url.query.map(Scalar.text)
    case "fragment": url.fragment.map(Scalar.text)
    case "user": url.user.map(Scalar.text)
    case "password": url.password.map(Scalar.text)
    case "port": url.port.map { .integer(Int64($0)) }
    default: nil
    }
  }
}
