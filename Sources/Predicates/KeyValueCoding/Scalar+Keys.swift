import Foundation

extension Scalar {
  /// The values that Foundation's value types have by name, such as the `length` of text.
  func value(forKey key: String, of object: Any) throws -> Any? {
    let value: Any? =
      switch self {
      case .null: nil
      case .text(let text): Scalar.value(forKey: key, ofText: text)
      case .integer, .unsigned, .double, .decimal: number(forKey: key)
      case .date(let date): Scalar.value(forKey: key, ofDate: date)
      case .data(let data): key == "length" ? data.count : nil
      case .uuid(let uuid): key == "UUIDString" || key == "uuidString" ? uuid.uuidString : nil
      case .url(let url): Scalar.value(forKey: key, ofURL: url)
      case .other: nil
      }
    if let value { return value }
    if isNull || Scalar.optionalKeys.contains(key) { return nil }
    if key == "description" { return "\(object)" }
    throw KeyPathReader.unknownKey(key, of: object)
  }

  /// The keys that exist and may have no value.
  private static let optionalKeys: Set<String> = ["host", "scheme", "query", "fragment", "port"]

  private static func value(forKey key: String, ofText text: String) -> Any? {
    switch key {
    case "length": text.utf16.count
    case "uppercaseString", "uppercased": text.uppercased()
    case "lowercaseString", "lowercased": text.lowercased()
    case "capitalizedString", "capitalized": text.capitalized
    case "intValue", "integerValue", "longLongValue": NSString(string: text).integerValue
    case "doubleValue", "floatValue": NSString(string: text).doubleValue
    case "boolValue": NSString(string: text).boolValue
    case "lastPathComponent": NSString(string: text).lastPathComponent
    case "pathExtension": NSString(string: text).pathExtension
    default: nil
    }
  }

  private func number(forKey key: String) -> Any? {
    switch key {
    case "intValue", "integerValue", "longLongValue":
      integerValue.map(Int.init)
        ?? doubleValue.flatMap { Int(exactly: $0.rounded(.towardZero)) }
    case "doubleValue", "floatValue": doubleValue
    case "boolValue": doubleValue != 0
    case "stringValue": ConstantPrinter.number(self)
    default: nil
    }
  }

  private static func value(forKey key: String, ofDate date: Date) -> Any? {
    switch key {
    case "timeIntervalSinceReferenceDate": date.timeIntervalSinceReferenceDate
    case "timeIntervalSince1970": date.timeIntervalSince1970
    case "timeIntervalSinceNow": date.timeIntervalSinceNow
    default: nil
    }
  }

  private static func value(forKey key: String, ofURL url: URL) -> Any? {
    switch key {
    case "absoluteString": url.absoluteString
    case "path": url.path
    case "lastPathComponent": url.lastPathComponent
    case "pathExtension": url.pathExtension
    case "host": url.host
    case "scheme": url.scheme
    case "query": url.query
    case "fragment": url.fragment
    case "port": url.port
    default: nil
    }
  }
}
