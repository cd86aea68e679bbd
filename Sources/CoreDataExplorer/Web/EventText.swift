import Foundation

/// Formats server-sent events.
enum EventText {
  /// - Parameters:
  ///   - name: The event that the client listens for.
  ///   - id: The ID that the client sends when it reconnects.
  static func event(_ name: String, id: Int? = nil, _ value: some Encodable) throws -> Data {
    event(name, id: id, json: try JSONBody.data(value))
  }

  /// Returns an event whose data is an empty object.
  static func event(_ name: String, id: Int? = nil) -> Data {
    event(name, id: id, json: Data("{}".utf8))
  }

  private static func event(_ name: String, id: Int?, json: Data) -> Data {
    let line = id.map { "id: \($0)\n" } ?? ""
    // A line end would end the data, but the encoder writes none.
    return Data("event: \(name)\n\(line)data: ".utf8) + json + Data("\n\n".utf8)
  }

  /// A comment, which clients ignore. Sending it regularly reveals a lost connection.
  static let heartbeat = Data(": \n\n".utf8)
}
