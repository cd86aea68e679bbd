import Foundation

/// Server-sent events as they go over the line.
enum EventText {
  /// - Parameters:
  ///   - name: what the client listens for.
  ///   - id: what the client says it had last when it comes again.
  static func event(_ name: String, id: Int? = nil, _ value: some Encodable) throws -> Data {
    var text = "event: \(name)\n"
    if let id { text += "id: \(id)\n" }
    // JSON has no line ends of its own.
    return Data("\(text)data: ".utf8) + (try JSONBody.data(value)) + Data("\n\n".utf8)
  }

  /// A line that means nothing, so that both ends notice when the other is gone.
  static let heartbeat = Data(": \n\n".utf8)
}
