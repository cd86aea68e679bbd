import Foundation

/// Formats server-sent events.
enum EventText {
  /// - Parameters:
  ///   - name: the event that the client listens for.
  ///   - id: the ID that the client sends when it reconnects.
  static func event(_ name: String, id: Int? = nil, _ value: some Encodable) throws -> Data {
    event(name, id: id, json: try JSONBody.data(value))
  }

  /// Returns an event without data.
  static func event(_ name: String, id: Int? = nil) -> Data {
    event(name, id: id, json: Data("{}".utf8))
  }

  private static func event(_ name: String, id: Int?, json: Data) -> Data {
    let line = id.map { "id: \($0)\n" } ?? ""
    // JSON contains no line ends.
    return Data("event: \(name)\n\(line)data: ".utf8) + json + Data("\n\n".utf8)
  }

  /// A comment, which clients ignore, so that both ends notice a lost connection.
  static let heartbeat = Data(": \n\n".utf8)
}
