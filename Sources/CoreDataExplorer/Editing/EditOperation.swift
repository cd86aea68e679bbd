/// An operation that a page requests (`set`, `insert`, `delete`, `link`, `unlink` or `move`), with its arguments.
struct EditOperation: Decodable {
  struct RowReference: Codable {
    let entity: String
    let id: String
  }

  struct RelationshipTarget: Decodable {
    let entity: String
    let id: String
    let relationship: String
  }

  /// A value that is not text.
  struct Bytes: Decodable {
    let base64: String
  }

  let op: String
  let entity: String
  var id: String?
  var ids: [String]?
  var key: String?
  /// The text of the editor. Without a text and a ``value``, the attribute is set to nil.
  var text: String?
  var value: Bytes?
  var values: [String: String?]?
  var into: RelationshipTarget?
  var relationship: String?
  var other: RowReference?
  var to: Int?
  /// The ordered relationship to move within; nil to move within a table.
  var `in`: RelationshipTarget?
  var `where`: String?
  var sort: String?
}

/// The body of a request to `/api/edit`.
struct EditRequest: Decodable {
  let operations: [EditOperation]
}
