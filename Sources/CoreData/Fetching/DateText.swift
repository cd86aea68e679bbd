import Foundation

/// Dates as people write them: `2024-05-01`, `2024-05-01 12:30`, `2024-05-01T12:30:00Z`.
package enum DateText {
  package static func date(from text: String) -> Date? {
    let plain = text.trimmingCharacters(in: .whitespaces)
    if let date = try? Date(plain, strategy: .iso8601) { return date }
    if let date = try? Date(plain, strategy: .iso8601.year().month().day()) { return date }
    let spaced = plain.replacingOccurrences(of: " ", with: "T")
    for suffix in ["Z", ":00Z"] {
      if let date = try? Date(spaced + suffix, strategy: .iso8601) { return date }
    }
    return nil
  }
}
