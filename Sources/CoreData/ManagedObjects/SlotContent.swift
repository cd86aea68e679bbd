/// The object's own content of a slot, in addition to its row.
enum SlotContent {
  /// None: the row or the default value determines the value.
  case unread
  /// Cached because making it again is slow: a transformed value, the results of a fetched property, or the
  /// destination of a to-one relationship.
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
