import Foundation

/// Values of programs, such as those of transformable attributes, as JSON: what a person reads of them, and the same each time.
package enum ValueJSON {
  /// Lists may hold themselves: deeper than this nothing is read.
  private static let depth = 64

  /// The JSON of a value, its keys in the order of the alphabet. Dates, bytes, identifiers and addresses are texts; an object of
  /// a class that JSON has no form for is its own description.
  package static func text(of value: Any) -> String {
    let content = plain(value, depth)
    if let text = content as? String, !(value is String) { return text }
    guard
      let data = try? JSONSerialization.data(
        withJSONObject: content, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
    else { return String(describing: value) }
    return String(decoding: data, as: UTF8.self)
  }

  /// A value made of what JSON has: texts, finite numbers, lists and dictionaries by texts.
  private static func plain(_ value: Any, _ depth: Int) -> Any {
    guard depth > 0 else { return "…" }
    switch value {
    case is NSNull: return NSNull()
    case let text as String: return text
    case let date as Date: return DateText.iso8601(date)
    case let data as Data: return data.base64EncodedString()
    case let identifier as UUID: return identifier.uuidString
    case let url as URL: return url.absoluteString
    case let number as NSNumber:
      return number.doubleValue.isFinite ? number : number.description
    case let pairs as [AnyHashable: Any]:
      return Dictionary(
        pairs.map { key, value in
          (key.base as? String ?? text(of: key.base), plain(value, depth - 1))
        }, uniquingKeysWith: { first, _ in first })
    case let list as [Any]: return list.map { plain($0, depth - 1) }
    case let list as NSOrderedSet: return list.array.map { plain($0, depth - 1) }
    case let set as NSSet:
      return set.allObjects.map { (text(of: $0), plain($0, depth - 1)) }
        .sorted { $0.0 < $1.0 }.map(\.1)
    case let set as Set<AnyHashable>:
      return set.map { (text(of: $0.base), plain($0.base, depth - 1)) }
        .sorted { $0.0 < $1.0 }.map(\.1)
    default: return String(describing: value)
    }
  }
}
