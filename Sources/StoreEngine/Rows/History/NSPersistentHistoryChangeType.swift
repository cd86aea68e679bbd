/// What a change of the persistent history did with an object.
public enum NSPersistentHistoryChangeType: Int, Sendable {
  /// The object is new.
  case insert = 0
  /// Some of its properties have other values.
  case update = 1
  /// The object is gone.
  case delete = 2
}
