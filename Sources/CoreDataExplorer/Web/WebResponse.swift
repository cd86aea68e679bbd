package import Foundation

/// A response of the explorer.
package struct WebResponse: Sendable {
  package enum Body: Sendable {
    case data(Data)
    /// Parts that are sent as they are produced; the sequence ends if the client closes the connection.
    case stream(AsyncThrowingStream<Data, any Error>)
  }

  package let status: Int
  package var headers: [(name: String, value: String)]
  package let body: Body

  package init(status: Int = 200, type: String, headers: [(String, String)] = [], body: Body) {
    self.status = status
    self.headers = [("Content-Type", type)] + headers.map { (name: $0.0, value: $0.1) }
    self.body = body
  }

  /// Makes a response for programs.
  static func json(_ value: some Encodable, status: Int = 200) throws -> WebResponse {
    WebResponse(
      status: status, type: "application/json; charset=utf-8", body: .data(try JSONBody.data(value))
    )
  }

  /// Makes a page for people.
  static func html(_ page: HTML, status: Int = 200) -> WebResponse {
    WebResponse(
      status: status, type: "text/html; charset=utf-8", body: .data(Data(page.text.utf8)))
  }

  static func text(_ text: String, status: Int = 200) -> WebResponse {
    WebResponse(
      status: status, type: "text/plain; charset=utf-8", body: .data(Data((text + "\n").utf8)))
  }

  /// Makes a stream of server-sent events.
  static func events(_ events: AsyncThrowingStream<Data, any Error>) -> WebResponse {
    WebResponse(type: eventType, body: .stream(events))
  }

  private static let eventType = "text/event-stream"

  /// Whether the response is a stream of events, which continues until the client closes it.
  package var isEvents: Bool {
    headers.contains { $0.name == "Content-Type" && $0.value == Self.eventType }
  }
}

/// Encodes values as JSON.
enum JSONBody {
  static func data(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    // Keys are sorted, so that equal rows have equal JSON; `/` is not escaped, because people read the output.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(value)
  }
}
