import ObjectModel

package import Foundation

/// A request as the explorer sees it, whichever server took it.
///
/// It is a value, as ``WebResponse`` is, so that tests make requests and read answers without a server.
package struct WebRequest: Sendable {
  /// Places of rows, numbers of transactions and requests: so many that sums of them are numbers, too.
  static let places = 0...(1 << 40)

  /// `GET`, `POST`, …
  package let method: String
  /// The parts of the path, without escapes: `["entities", "Person"]`.
  package let path: [String]
  /// The parameters behind the question mark, in their order.
  package let parameters: [(name: String, value: String)]
  /// By names in lower case; of several of one name the first.
  package let headers: [String: String]
  /// The names, in lower case, of headers that are there more than once.
  let repeatedHeaders: Set<String>
  /// Whether the first line names a path of this server, as browsers write it: not an address with a server's name, which
  /// would contradict the `Host`.
  let namesPath: Bool
  package let body: Data

  /// - Parameter target: the path and what is behind it, as it stands in the first line: `/a%20b?c=d`.
  package init(method: String, target: String, headers: [(String, String)], body: Data = Data()) {
    self.method = method
    namesPath = target.hasPrefix("/")
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = (parts.first ?? "").split(separator: "/").map { Self.unescaped($0) }
    parameters = parts.dropFirst().first.map(Self.parameters) ?? []
    self.headers = Dictionary(
      headers.map { ($0.0.lowercased(), $0.1) }, uniquingKeysWith: { first, _ in first })
    repeatedHeaders = Set(
      Dictionary(grouping: headers) { $0.0.lowercased() }.filter { $0.value.count > 1 }.keys)
    self.body = body
  }

  /// The value of the first parameter of a name; nil for an empty one, as a form sends those that nobody
  /// filled in.
  package func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  /// The value of a cookie.
  package func cookie(_ name: String) -> String? {
    for part in (headers["cookie"] ?? "").split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2, pair[0].drop(while: { $0 == " " }) == name { return String(pair[1]) }
    }
    return nil
  }

  /// The value of a parameter that is a whole number.
  ///
  /// - Throws: ``WebFailure`` for another text, and for a number out of the range.
  func number(_ name: String, _ range: ClosedRange<Int>, else standard: Int) throws -> Int {
    guard let text = parameter(name) else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw WebFailure(status: 400, "\(name) is to be a number from \(range.lowerBound) on")
    }
    return number
  }

  /// What stands behind the headers, as JSON.
  ///
  /// - Throws: ``WebFailure`` for anything else.
  func content<Content: Decodable>() throws -> Content {
    do {
      return try JSONDecoder().decode(Content.self, from: body)
    } catch {
      throw WebFailure(status: 400, "the request is not what this address takes")
    }
  }

  private static func parameters(_ text: Substring) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { unescaped($0.replacing(scalar: "+", with: " ")) }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  /// What is escaped badly stays as it stands.
  private static func unescaped(_ text: some StringProtocol) -> String {
    text.removingPercentEncoding ?? String(text)
  }
}
