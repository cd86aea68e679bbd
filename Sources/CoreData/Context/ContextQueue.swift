import Foundation

/// A context's queue, which knows whether the caller is on it.
final class ContextQueue: Sendable {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private static let mainMark = MainMark()
  private let queue: DispatchQueue
  private let isMain: Bool

  private final class MainMark: Sendable {}

  init(_ type: NSManagedObjectContextConcurrencyType) {
    switch type {
    case .privateQueueConcurrencyType:
      isMain = false
      queue = DispatchQueue(label: "CoreData.context")
      queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
    case .mainQueueConcurrencyType:
      isMain = true
      queue = .main
      queue.setSpecific(key: Self.key, value: ObjectIdentifier(Self.mainMark))
    }
  }

  /// Whether the caller runs on this queue.
  var isCurrent: Bool {
    let current = DispatchQueue.getSpecific(key: Self.key)
    if isMain {
      return Thread.isMainThread || current == ObjectIdentifier(Self.mainMark)
    }
    return current == ObjectIdentifier(self)
  }

  /// Runs now when on the queue already, else waits for it.
  func sync<Result>(_ body: () throws -> Result) rethrows -> Result {
    isCurrent ? try body() : try queue.sync(execute: body)
  }

  func async(_ body: @escaping () -> Void) {
    let work = Work(run: body)
    queue.async { work.run() }
  }

  /// Work for a context's queue, which may use what belongs there.
  private struct Work: @unchecked Sendable {
    let run: () -> Void
  }
}
