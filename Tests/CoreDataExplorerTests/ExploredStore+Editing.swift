import CoreDataExplorer
import Foundation
import Testing

/// Requests that edit the store.
extension ExploredStore {
  /// Sets an attribute of an object, and returns the response.
  func set(
    _ id: String, _ key: String, _ text: String, entity: String = "Person"
  ) async throws -> (Int, [String: Any]) {
    let operation =
      #"{"op":"set","entity":"\#(entity)","id":"\#(id)","key":"\#(key)","text":"\#(text)"}"#
    return try await post("/api/edit", #"{"operations":[\#(operation)]}"#)
  }

  /// Inserts an object with values in the form of JSON, and returns its temporary ID.
  func insert(_ entity: String, _ values: String) async throws -> String {
    let operation = #"{"op":"insert","entity":"\#(entity)","values":{\#(values)}}"#
    let (status, body) = try await post("/api/edit", #"{"operations":[\#(operation)]}"#)
    #expect(status == 200, "\(body)")
    return try #require((body["created"] as? [[String: Any]])?.first?["id"] as? String)
  }

  /// The text of a person's attribute, as the explorer shows it.
  func value(_ key: String, of id: String) async throws -> String? {
    let object = try await json("/api/objects/Person/\(id)")
    let attributes = try #require(object["attributes"] as? [[String: Any]])
    return attributes.first { $0["name"] as? String == key }?["text"] as? String
  }

  /// The IDs of a table's rows.
  func ids(_ target: String) async throws -> [String] {
    let rows = try #require(try await json(target)["rows"] as? [[String: Any]])
    return rows.compactMap { $0["id"] as? String }
  }

  /// Opens a table's stream of events. As long as the caller keeps the stream, the explorer keeps the table open;
  /// it closes a table that has had no client for a while.
  func events(of entity: String) async throws -> AsyncThrowingStream<Data, any Error> {
    let stream: AsyncThrowingStream<Data, any Error>? =
      if case .stream(let events) = await get("/api/tables/\(entity)/events").body {
        events
      } else {
        nil
      }
    return try #require(stream, "the response is not a stream")
  }
}

extension [String: Any] {
  /// The unsaved changes that a response describes.
  var pending: [String: Any] {
    get throws { try #require(self["pending"] as? [String: Any]) }
  }
}
