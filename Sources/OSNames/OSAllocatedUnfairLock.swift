import Foundation

/// A lock with what it protects, under the name that it has on Apple's platforms.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  private final class Box {
    let lock = NSLock()
    var state: State
    init(_ state: State) { self.state = state }
  }

  private let box: Box

  /// Makes a lock with a state that may not be `Sendable`.
  public init(uncheckedState initialState: State) { box = Box(initialState) }

  /// Runs a block while nobody else has the lock.
  public func withLockUnchecked<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result {
    box.lock.lock()
    defer { box.lock.unlock() }
    return try body(&box.state)
  }

  /// Runs a block while nobody else has the lock.
  public func withLock<Result: Sendable>(
    _ body: @Sendable (inout State) throws -> Result
  ) rethrows -> Result {
    try withLockUnchecked(body)
  }

  /// Runs a block if nobody has the lock; nil if somebody has.
  public func withLockIfAvailableUnchecked<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result? {
    guard box.lock.try() else { return nil }
    defer { box.lock.unlock() }
    return try body(&box.state)
  }

  /// Runs a block if nobody has the lock; nil if somebody has.
  public func withLockIfAvailable<Result: Sendable>(
    _ body: @Sendable (inout State) throws -> Result
  ) rethrows -> Result? {
    try withLockIfAvailableUnchecked(body)
  }
}

extension OSAllocatedUnfairLock where State: Sendable {
  /// Makes a lock with a state.
  public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
  /// Makes a lock that protects nothing of its own.
  public init() { self.init(uncheckedState: ()) }

  /// Runs a block while nobody else has the lock.
  public func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withLockUnchecked { (_: inout Void) in try body() }
  }

  /// Runs a block while nobody else has the lock.
  public func withLock<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) rethrows -> Result {
    try withLockUnchecked { (_: inout Void) in try body() }
  }

  /// Waits until nobody has the lock, and takes it.
  public func lock() { box.lock.lock() }

  /// Gives the lock back, on the thread that took it.
  public func unlock() { box.lock.unlock() }

  /// Takes the lock if nobody has it.
  public func lockIfAvailable() -> Bool { box.lock.try() }
}
