/// What a page asks to be changed: `set`, `insert`, `delete`, `link`, `unlink` or `move`, with what each needs.
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

  /// A value that is no text.
  struct Bytes: Decodable {
    let base64: String
  }

  let op: String
  let entity: String
  var id: String?
  var ids: [String]?
  var key: String?
  /// What the editor has; nil for no value.
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

/// What a page asks `/api/edit`.
struct EditRequest: Decodable {
  let operations: [EditOperation]
}
