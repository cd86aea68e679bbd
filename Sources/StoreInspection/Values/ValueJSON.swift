import CoreData

/// Formats values of any type, such as those of transformable attributes, as JSON for people. Keys and members of sets
/// are sorted, so equal values have the same text unless it is cut at the limits.
package enum ValueJSON {
  /// Limits for reading a value. A few hundred bytes of an archive can contain lists that contain each other several
  /// times, and their JSON would be endless. What exceeds the limits is replaced by an ellipsis.
  package struct Limits: Sendable {
    /// The number of values, including nested ones.
    package let values: Int
    /// The number of bytes of strings and data.
    package let bytes: Int

    /// Limits that no legitimate value exceeds.
    package static let whole = Limits(values: 200_000, bytes: 256 << 20)
    /// Limits for a table, which is too narrow for more.
    package static let shown = Limits(values: 5_000, bytes: 64 << 10)
  }

  /// Formats a value, with keys in alphabetical order. Dates, data, UUIDs and URLs are strings; an object of a class
  /// that JSON has no form for is a string with its description.
  package static func text(of value: Any, _ limits: Limits = .whole) -> String {
    var converter = JSONValueConverter(limits)
    return text(of: converter.convert(value), value)
  }

  /// Formats a value; returns nil if it exceeds the limits.
  package static func wholeText(of value: Any, _ limits: Limits = .whole) -> String? {
    var converter = JSONValueConverter(limits)
    let content = converter.convert(value)
    return converter.isCut ? nil : text(of: content, value)
  }

  private static func text(of content: Any, _ value: Any) -> String {
    // Only a string has quotes; a date or a UUID is as readable without them.
    if let text = content as? String, !(value is String) { return text }
    return JSONValueConverter.json(content) ?? String(describing: content)
  }
}

/// Converts a value to JSON types: strings, finite numbers, arrays and dictionaries with string keys. Reads each value
/// once.
struct JSONValueConverter {
  /// The maximum depth, because lists may contain themselves.
  private static let depth = 64
  /// How many values are read between two checks for cancellation.
  private static let portion = 256
  private static let ellipsis = "…"

  private var values: Int
  private var bytes: Int
  /// Whether something was left out.
  private(set) var isCut = false

  init(_ limits: ValueJSON.Limits) { (values, bytes) = (limits.values, limits.bytes) }

  mutating func convert(_ value: Any) -> Any { plain(value, Self.depth) }

  static func json(_ content: Any) -> String? {
    try? String(
      decoding: JSONSerialization.data(
        withJSONObject: content, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]),
      as: UTF8.self)
  }

  /// Counts a value against the limits.
  ///
  /// - Returns: Whether it may be read.
  private mutating func spendBudget() -> Bool {
    values -= 1
    // Cancellation ends the reading as the limit does.
    if values % Self.portion == 0, NSManagedObjectContext.isReadingCancelled { values = -1 }
    if values >= 0, bytes >= 0 { return true }
    isCut = true
    return false
  }

  private mutating func plain(_ value: Any, _ depth: Int) -> Any {
    guard spendBudget() else { return Self.ellipsis }
    guard depth > 0 else {
      isCut = true
      return Self.ellipsis
    }
    // Casting a Swift collection to a class would convert it, with all its elements, to a Foundation collection.
    if !(type(of: value) is AnyClass) {
      if let pairs = value as? [AnyHashable: Any] { return plain(pairs, depth) }
      if let list = value as? [Any] { return plain(list, depth) }
      if let set = value as? Set<AnyHashable> { return sorted(set.map(\.base), depth) }
    }
    switch value {
    case is NSNull: return NSNull()
    case let text as String: return cut(text)
    case let date as Date: return DateText.iso8601(date)
    case let data as Data: return cut(data)
    case let identifier as UUID: return identifier.uuidString
    case let url as URL: return cut(url.absoluteString)
    case let number as NSNumber:
      return number.doubleValue.isFinite ? number : number.description
    case let pairs as [AnyHashable: Any]: return plain(pairs, depth)
    case let list as [Any]: return plain(list, depth)
    case let list as NSOrderedSet: return plain(list.array, depth)
    case let set as NSSet: return sorted(set.allObjects, depth)
    default: return cut(String(describing: value))
    }
  }

  private mutating func plain(_ pairs: [AnyHashable: Any], _ depth: Int) -> [String: Any] {
    var content: [String: Any] = [:]
    for (key, value) in pairs {
      guard spendBudget() else {
        content[Self.ellipsis] = Self.ellipsis
        break
      }
      let name = key.base as? String ?? Self.orderText(plain(key.base, depth - 1))
      // Different keys, such as 1 and "1", may have the same text. Then the string's value is shown.
      if content[name] == nil || key.base is String { content[name] = plain(value, depth - 1) }
    }
    return content
  }

  private mutating func plain(_ list: [Any], _ depth: Int) -> [Any] {
    var content: [Any] = []
    for value in list {
      content.append(plain(value, depth - 1))
      // A member that is nested too deeply is cut too, but does not end the list.
      if isCut, values < 0 || bytes < 0 { break }
    }
    return content
  }

  /// Returns the members of a set, sorted by their JSON.
  private mutating func sorted(_ members: [Any], _ depth: Int) -> [Any] {
    plain(members, depth).map { (Self.orderText($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private static func orderText(_ content: Any) -> String {
    content as? String ?? json(content) ?? String(describing: content)
  }

  private mutating func cut(_ text: String) -> String {
    let count = text.utf8.count
    defer { bytes -= count }
    guard count > bytes else { return text }
    isCut = true
    // Decoding replaces a split character at the cut by U+FFFD.
    return String(decoding: text.utf8.prefix(max(bytes, 0)), as: UTF8.self) + Self.ellipsis
  }

  private mutating func cut(_ data: Data) -> String {
    defer { bytes -= data.count }
    guard data.count > bytes else { return data.base64EncodedString() }
    isCut = true
    return data.prefix(max(bytes, 0)).base64EncodedString() + Self.ellipsis
  }
}
