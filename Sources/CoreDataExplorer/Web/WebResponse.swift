package import Foundation

/// What the explorer answers.
package struct WebResponse: Sendable {
  package enum Body: Sendable {
    case data(Data)
    /// Parts that come as they are made; the reader's going away ends the sequence.
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

  /// An answer for programs.
  static func json(_ value: some Encodable, status: Int = 200) throws -> WebResponse {
    WebResponse(
      status: status, type: "application/json; charset=utf-8", body: .data(try JSONBody.data(value))
    )
  }

  /// A page for people.
  static func html(_ page: HTML, status: Int = 200) -> WebResponse {
    WebResponse(
      status: status, type: "text/html; charset=utf-8", body: .data(Data(page.text.utf8)))
  }

  static func text(_ text: String, status: Int = 200) -> WebResponse {
    WebResponse(
      status: status, type: "text/plain; charset=utf-8", body: .data(Data((text + "\n").utf8)))
  }

  /// Server-sent events.
  static func events(_ events: AsyncThrowingStream<Data, any Error>) -> WebResponse {
    WebResponse(type: eventType, body: .stream(events))
  }

  private static let eventType = "text/event-stream"

  /// Whether the answer is a stream of events, which goes on until its reader goes.
  package var isEvents: Bool {
    headers.contains { $0.name == "Content-Type" && $0.value == Self.eventType }
  }
}

/// Values as JSON.
enum JSONBody {
  static func data(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    // The same answer for the same rows; and no `\/` in what people read.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(value)
  }
}
