import Foundation

/// A lock and the state that it protects, as in Apple's `os` framework.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  // A class, because copies of the lock share one lock and one state.
  private final class Box {
    let lock = NSLock()
    var state: State
    init(_ state: State) { self.state = state }
  }

  private let box: Box

  /// Makes a lock with a state that need not be `Sendable`.
  public init(uncheckedState initialState: State) { box = Box(initialState) }

  /// Runs a block while holding the lock.
  public func withLockUnchecked<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result {
    box.lock.lock()
    defer { box.lock.unlock() }
    return try body(&box.state)
  }

  /// Runs a block while holding the lock.
  public func withLock<Result: Sendable>(
    _ body: @Sendable (inout State) throws -> Result
  ) rethrows -> Result {
    try withLockUnchecked(body)
  }

  /// Runs a block while holding the lock, if it is free; otherwise returns nil.
  public func withLockIfAvailableUnchecked<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result? {
    guard box.lock.try() else { return nil }
    defer { box.lock.unlock() }
    return try body(&box.state)
  }

  /// Runs a block while holding the lock, if it is free; otherwise returns nil.
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
  /// Makes a lock without state.
  public init() { self.init(uncheckedState: ()) }

  /// Runs a block while holding the lock.
  public func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withLockUnchecked { (_: inout Void) in try body() }
  }

  /// Runs a block while holding the lock.
  public func withLock<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) rethrows -> Result {
    try withLockUnchecked { (_: inout Void) in try body() }
  }

  /// Waits until the lock is free, and acquires it.
  public func lock() { box.lock.lock() }

  /// Releases the lock, on the thread that acquired it.
  public func unlock() { box.lock.unlock() }

  /// Acquires the lock if it is free, and returns whether it did.
  public func lockIfAvailable() -> Bool { box.lock.try() }
}
