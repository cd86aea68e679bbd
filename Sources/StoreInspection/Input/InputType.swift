/// What a text on the command line must be read as.
package enum InputType: Equatable, Sendable {
  /// A whole number of 16, 32 or 64 bits.
  case integer(bits: Int)
  case float
  case double
  case decimal
  case text
  case boolean
  case date
  /// Base64, or `@path` for what a file holds.
  case data
  case uuid
  case url

  /// What such a value looks like, for messages.
  package var expectation: String {
    switch self {
    case .integer(let bits):
      let limit = Int64.max >> (64 - Int64(bits))
      return "a whole number from \(-limit - 1) to \(limit)"
    case .float, .double, .decimal: return "a number"
    case .text: return "a text"
    case .boolean: return "yes or no"
    case .date:
      return "a date like 2024-05-01, '2024-05-01 14:30:00' (UTC) or 2024-05-01T14:30:00+02:00"
    case .data: return "base64, or @ and the path of a file"
    case .uuid: return "a UUID like 0A0B0C0D-1111-2222-3333-444455556666"
    case .url: return "a URL"
    }
  }
}
