// What signatures of key-value observing mention. Nothing is observed by key here: objects are
// `Observable`.

/// How the members of a relationship change.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
  /// Members are added.
  case union = 1
  /// Members are removed.
  case minus = 2
  /// Members that are not given are removed.
  case intersect = 3
  /// The members are exchanged.
  case set = 4
}

/// What becomes of the members at some indexes of an ordered relationship.
public enum NSKeyValueChange: UInt, Sendable {
  /// The whole relationship is set.
  case setting = 1
  /// Members are inserted.
  case insertion = 2
  /// Members are removed.
  case removal = 3
  /// Members are exchanged.
  case replacement = 4
}

/// What an observer wants to be told of a change.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The raw bits, Apple's.
  public let rawValue: UInt

  /// Makes options from their raw bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The new value.
  public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)
  /// The old value.
  public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)
  /// The value at the beginning.
  public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)
  /// Both before and after the change.
  public static let prior = NSKeyValueObservingOptions(rawValue: 1 << 3)
}

/// The name of what a dictionary says of a change.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
  /// The name, Apple's.
  public let rawValue: String

  /// Makes a key from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// What kind of change it is.
  public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
  /// The new value.
  public static let newKey = NSKeyValueChangeKey(rawValue: "new")
  /// The old value.
  public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
  /// The places of the members of an ordered relationship.
  public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
  /// Whether it is told before the change.
  public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}
