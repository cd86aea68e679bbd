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
  ///   - keyPath: the value. Of others than ``migrationProgress`` nobody tells.
  ///   - options: which values are told; with `.initial` the handler is called at once too.
  ///   - changeHandler: called on the migration's thread after each change.
  /// - Returns: the observation, which ends with this object.
  ///
  /// Compared to Apple's Core Data: it is no key-value observing, which needs Objective-C, but looks the same.
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
    return NSKeyValueObservation { [weak self] in self?.observers.remove(number) }
  }
}

/// Who observes the progress of a migration.
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

  /// Tells all, in the order in which they came.
  func notify(_ manager: NSMigrationManager, _ old: Float, _ new: Float) {
    let all = lock.withLock { handlers.sorted { $0.key < $1.key }.map(\.value) }
    for handler in all { handler(manager, old, new) }
  }
}
