// The types in the signatures of key-value observing. Only the progress of a migration manager can be observed by key
// path; managed objects are `Observable` instead.

import Synchronization

/// How the members of a set change.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
  /// Members are added.
  case union = 1
  /// Members are removed.
  case minus = 2
  /// Members that are not in the passed set are removed.
  case intersect = 3
  /// All members are replaced.
  case set = 4
}

/// The kind of a change to a property, or to an ordered relationship at some indexes.
public enum NSKeyValueChange: UInt, Sendable {
  /// The whole value is set.
  case setting = 1
  /// Members are inserted.
  case insertion = 2
  /// Members are removed.
  case removal = 3
  /// Members are replaced.
  case replacement = 4
}

/// What a notification of a change contains, and when it is sent.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The raw bits, as in Apple's Foundation.
  public let rawValue: UInt

  /// Creates options from their raw bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The new value.
  public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)
  /// The old value.
  public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)
  /// A first notification when the observation begins, with the initial value.
  public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)
  /// In Apple's Foundation, one notification before and one after each change. This library ignores the option.
  public static let prior = NSKeyValueObservingOptions(rawValue: 1 << 3)
}

/// A key of the dictionary that describes a change.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
  /// The name of the key, as in Apple's Foundation.
  public let rawValue: String

  /// Creates a key from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The kind of the change.
  public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
  /// The new value.
  public static let newKey = NSKeyValueChangeKey(rawValue: "new")
  /// The old value.
  public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
  /// The indexes of the changed members of an ordered relationship.
  public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
  /// Whether the notification precedes the change.
  public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// A change to the value at an observed key path, as an observer receives it.
public struct NSKeyValueObservedChange<Value> {
  /// The kinds of changes.
  public typealias Kind = NSKeyValueChange

  /// The kind of the change. Always `setting`: the whole value is set.
  public let kind = NSKeyValueChange.setting
  /// The new value, if the observer requested it.
  public let newValue: Value?
  /// The old value, if the observer requested it.
  public let oldValue: Value?
  /// Always nil, because no observable collection reports changes of single members.
  public let indexes: IndexSet? = nil
  /// Always `false`, because no notification precedes a change.
  public let isPrior = false
}

/// An observation of a key path. It ends when it is invalidated or released.
public final class NSKeyValueObservation: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

  deinit { invalidate() }

  /// Ends the observation. Can be called from any thread, and more than once.
  public func invalidate() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    // The closure is called outside the lock, because a `Mutex` is not recursive and the closure
    // may release an object that invalidates this observation.
    end?()
  }
}
