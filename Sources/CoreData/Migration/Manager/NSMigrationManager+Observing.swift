extension NSMigrationManager {
  /// Observes ``migrationProgress``.
  ///
  /// <!-- example: prelude let manager = NSMigrationManager(sourceModel: model, destinationModel: model) -->
  /// ```swift
  /// let observation = manager.observe(\.migrationProgress, options: [.new]) { manager, change in
  ///   print(change.newValue ?? 0)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The observed value. Only changes of ``migrationProgress`` are reported.
  ///   - options: The values to report. With `.initial`, the handler is also called immediately.
  ///   - changeHandler: Called on the thread of the migration after each change.
  /// - Returns: An object that keeps the observation alive: releasing it ends the observation.
  ///
  /// Compared to Apple's Core Data: this is not key-value observing, which requires Objective-C, but it is used in
  /// the same way.
  public final func observe<Value>(
    _ keyPath: KeyPath<NSMigrationManager, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (NSMigrationManager, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    func change(from old: Value?, to new: Value?) -> NSKeyValueObservedChange<Value> {
      NSKeyValueObservedChange(
        newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil)
    }
    if options.contains(.initial) {
      changeHandler(self, change(from: nil, to: self[keyPath: keyPath]))
    }
    guard keyPath == \NSMigrationManager.migrationProgress else {
      return NSKeyValueObservation {}
    }
    let number = observers.add { manager, old, new in
      changeHandler(manager, change(from: old as? Value, to: new as? Value))
    }
    // Weak, because an observation may outlive the manager.
    return NSKeyValueObservation { [weak self] in self?.observers.remove(number) }
  }
}

/// The observers of a migration's progress.
final class ProgressObservers: @unchecked Sendable {
  typealias Handler = (NSMigrationManager, Float, Float) -> Void

  private let lock = NSLock()
  private var handlers: [Int: Handler] = [:]
  private var last = 0

  func add(_ handler: @escaping Handler) -> Int {
    lock.withLock {
      last += 1
      handlers[last] = handler
      return last
    }
  }

  func remove(_ number: Int) { lock.withLock { handlers[number] = nil } }

  /// Calls the handlers in the order in which they were added.
  func notify(_ manager: NSMigrationManager, _ old: Float, _ new: Float) {
    let all = lock.withLock { handlers.sorted { $0.key < $1.key }.map(\.value) }
    // The handlers are called outside the lock, because a handler may end its observation.
    for handler in all { handler(manager, old, new) }
  }
}
