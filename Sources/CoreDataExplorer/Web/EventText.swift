import Foundation

/// Server-sent events as they go over the line.
enum EventText {
  /// - Parameters:
  ///   - name: what the client listens for.
  ///   - id: what the client says it had last when it comes again.
  static func event(_ name: String, id: Int? = nil, _ value: some Encodable) throws -> Data {
    event(name, id: id, json: try JSONBody.data(value))
  }

  /// An event that says all by its name.
  static func event(_ name: String, id: Int? = nil) -> Data {
    event(name, id: id, json: Data("{}".utf8))
  }

  private static func event(_ name: String, id: Int?, json: Data) -> Data {
    let line = id.map { "id: \($0)\n" } ?? ""
    // JSON has no line ends of its own.
    return Data("event: \(name)\n\(line)data: ".utf8) + json + Data("\n\n".utf8)
  }

  /// A line that means nothing, so that both ends notice when the other is gone.
  static let heartbeat = Data(": \n\n".utf8)
}
