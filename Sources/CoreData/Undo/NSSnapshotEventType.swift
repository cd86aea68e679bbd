/// The reasons for replacing an object's values: undo, a rollback, a refresh, a merge policy.
public struct NSSnapshotEventType: OptionSet, Sendable {
  /// The raw bits, with the values of Apple's SDK.
  public let rawValue: UInt

  /// Creates a set of events from its raw bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// An insertion was undone.
  public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
  /// A deletion was undone, or an insertion was redone.
  public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
  /// A change of an object's values was undone or redone.
  public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
  /// Changes were rolled back.
  public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
  /// The object was refreshed.
  public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
  /// A merge policy resolved a conflict.
  public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
