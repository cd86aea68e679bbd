// What signatures of key-value observing mention. Nothing is observed by key here but the progress of a
// migration manager: managed objects are `Observable`.

import Synchronization

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

/// What an observer of a key path is told.
public struct NSKeyValueObservedChange<Value> {
  /// The kinds of changes.
  public typealias Kind = NSKeyValueChange

  /// What kind of change it is: always that the whole value was set.
  public let kind = NSKeyValueChange.setting
  /// The new value, if the observer wants it.
  public let newValue: Value?
  /// The old value, if the observer wants it.
  public let oldValue: Value?
  /// Nil: no collection changes by its members.
  public let indexes: IndexSet? = nil
  /// False: nobody is told before a change.
  public let isPrior = false
}

/// An observer of a value; it is told of no more changes when it is invalidated, or let go of.
public final class NSKeyValueObservation: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

  deinit { invalidate() }

  /// Ends the observation. May be called on any thread, and more than once.
  public func invalidate() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}
