/// What an object keeps of its own for a slot, beside the row it came from.
enum SlotContent {
  /// Nothing: the row or the default value says it.
  case unread
  /// Made from the row and kept because making it costs: a transformed value, the destination of
  /// a to-one relationship.
  case cached(StoredValue)
  case cachedObject(NSManagedObject)
  /// Set since the object was fetched or saved.
  case written(StoredValue)
  case writtenObject(NSManagedObject?)
  case toMany(ToManyContent)

  @inline(__always)
  var isUnread: Bool { if case .unread = self { true } else { false } }

  var isWritten: Bool {
    switch self {
    case .written, .writtenObject: true
    default: false
    }
  }
}
