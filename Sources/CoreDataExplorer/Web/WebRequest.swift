import ObjectModel

package import Foundation

/// A request to the explorer, independent of the server.
///
/// Requests and ``WebResponse`` are values, so that tests can use them without a server.
package struct WebRequest: Sendable {
  /// The valid range of row positions, transaction numbers and request numbers. It is limited, so that sums do not
  /// overflow.
  static let places = 0...(1 << 40)

  /// `GET`, `POST`, …
  package let method: String
  /// The components of the path, unescaped: `["entities", "Person"]`.
  package let path: [String]
  /// The parameters after the question mark, in order.
  package let parameters: [(name: String, value: String)]
  /// The headers by lowercase name; if one is repeated, the first.
  package let headers: [String: String]
  /// The lowercase names of repeated headers.
  let repeatedHeaders: Set<String>
  /// Whether the request target is a path, as browsers send it, and not a URL with a host, which could contradict the
  /// `Host` header.
  let hasPathTarget: Bool
  package let body: Data

  /// - Parameter target: The request target with path and query: `/a%20b?c=d`.
  package init(method: String, target: String, headers: [(String, String)], body: Data = Data()) {
    self.method = method
    hasPathTarget = target.hasPrefix("/")
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = (parts.first ?? "").split(separator: "/").map { Self.unescaped($0) }
    parameters = parts.dropFirst().first.map(Self.parameters) ?? []
    self.headers = Dictionary(
      headers.map { ($0.0.lowercased(), $0.1) }, uniquingKeysWith: { first, _ in first })
    repeatedHeaders = Set(
      Dictionary(grouping: headers) { $0.0.lowercased() }.filter { $0.value.count > 1 }.keys)
    self.body = body
  }

  /// Returns the first value of a parameter that is not empty; nil if there is none. Forms send an empty value for a
  /// field that is not filled in.
  package func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  /// Returns the value of a cookie.
  package func cookie(_ name: String) -> String? {
    for part in (headers["cookie"] ?? "").split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2, pair[0].drop(while: { $0 == " " }) == name { return String(pair[1]) }
    }
    return nil
  }

  /// Returns the value of an integer parameter.
  ///
  /// - Throws: ``WebFailure`` if the value is not a number in the range.
  func number(_ name: String, _ range: ClosedRange<Int>, else standard: Int) throws -> Int {
    guard let text = parameter(name) else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw WebFailure(
        status: 400, "\(name) must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Decodes the body as JSON.
  ///
  /// - Throws: ``WebFailure`` if the body cannot be decoded.
  func content<Content: Decodable>() throws -> Content {
    do {
      return try JSONDecoder().decode(Content.self, from: body)
    } catch {
      throw WebFailure(status: 400, "the body of the request does not have the expected form")
    }
  }

  private static func parameters(_ text: Substring) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { unescaped($0.replacing(scalar: "+", with: " ")) }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  /// Returns the text without escapes; text with invalid escapes is returned unchanged.
  private static func unescaped(_ text: some StringProtocol) -> String {
    text.removingPercentEncoding ?? String(text)
  }
}
