/// The kind of a change in the persistent history.
public enum NSPersistentHistoryChangeType: Int, Sendable {
  /// The object was inserted.
  case insert = 0
  /// Properties of the object were changed.
  case update = 1
  /// The object was deleted.
  case delete = 2
}
