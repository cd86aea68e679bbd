/// Prints constants in the predicate language.
package enum ConstantPrinter {
  /// Returns the text of a value.
  ///
  /// - Parameter depth: The number of enclosing lists. Beyond the parser's maximum depth, lists print as
  ///   `{…}`, because a deeper constant would overflow the stack.
  static func text(of value: Any?, depth: Int = 0) -> String {
    guard let value = flattenOptional(value) else { return "nil" }
    if let symbol = value as? IndexSymbol { return symbol.rawValue }
    let scalar = Scalar(value)
    switch scalar {
    case .null: return "<null>"
    case .integer, .unsigned, .double, .decimal: return number(scalar)
    case .text(let text): return quoted(text)
    case .date(let date): return "CAST(\(seconds(of: date)), \"NSDate\")"
    case .data(let data): return "CAST(\"\(data.base64EncodedString())\", \"NSData\")"
    case .uuid(let uuid): return uuid.uuidString
    case .url(let url): return "CAST(\(quoted(url.absoluteString)), \"NSURL\")"
    case .other(let object):
      if let elements = KeyValueCollection(object)?.elements {
        guard depth < Parser.maximumDepth else { return "{…}" }
        let texts = elements.map { text(of: $0, depth: depth + 1) }
        // A set has no order; sort the strings so that the result is deterministic.
        let ordered = KeyValueCollection.isUnordered(object) ? texts.sorted() : texts
        return "{\(ordered.joined(separator: ", "))}"
      }
      return MessageText.description(of: object)
    }
  }

  /// Returns a number without grouping separators, and without a fraction if it is an integer.
  static func number(_ scalar: Scalar) -> String {
    switch scalar {
    case .integer(let value): return String(value)
    case .unsigned(let value): return String(value)
    case .decimal(let value) where value.isNaN: return number(.double(.nan))
    case .decimal(let value): return NSDecimalNumber(decimal: value).stringValue
    case .double(let value):
      // The language has no literal for infinity and not-a-number, and `inf` would parse as a key.
      guard value.isFinite else { return "CAST(\"\(value)\", \"NSNumber\")" }
      let text = "\(value)"
      // Keep "-0.0", because an integer cannot represent a negative zero.
      return text.hasSuffix(".0") && text != "-0.0" ? String(text.dropLast(2)) : text
    default: return ""
    }
  }

  /// Returns a string in double quotes. Double quotes, backslashes, line breaks and tabs in it are escaped.
  ///
  /// - Parameter escape: Returns the escaped form of another scalar; nil to leave it unchanged.
  package static func quoted(
    _ text: String, escaping escape: (Unicode.Scalar) -> String? = { _ in nil }
  ) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if let escaped = escape(scalar) {
          result += escaped
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// Returns the seconds since 2001 with six decimals.
  private static func seconds(of date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    // Six decimals, as Apple's Foundation prints. Parsing the text may lose digits of the date.
    return seconds.isFinite ? String(format: "%.6f", seconds) : number(.double(seconds))
  }
}
