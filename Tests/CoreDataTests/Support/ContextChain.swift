import CoreData
import Foundation

/// A root context, and contexts below it, each the child of the previous one.
///
/// Work runs in a single block that occupies the queues of all contexts, or with `otherThread` only the deepest
/// context's queue. What the contexts enqueue on these queues can run only after the block.
struct ContextChain: @unchecked Sendable {
  enum Queues: CaseIterable {
    /// All contexts have the main queue, and are used directly.
    case main
    /// Private queues. One thread holds all of them: each context's block waits for a block of its parent.
    case held
    /// Private queues. Another thread saves the contexts above the deepest one, while the deepest context's queue is
    /// busy.
    case otherThread
    /// Contexts of the main queue and of private queues in turn.
    case mixed
  }

  let stack: SampleStack
  /// The contexts, the root first.
  let contexts: [NSManagedObjectContext]
  let queues: Queues

  var root: NSManagedObjectContext { contexts[0] }
  var deepest: NSManagedObjectContext { contexts[contexts.count - 1] }

  /// - Parameter depth: The number of contexts below the root.
  init(depth: Int, _ queues: Queues, _ stack: SampleStack? = nil) throws {
    let stack = try stack ?? SampleStack()
    self.stack = stack
    self.queues = queues
    var contexts: [NSManagedObjectContext] = []
    for level in 0...depth {
      let isMain = queues == .main || queues == .mixed && level.isMultiple(of: 2)
      let context = NSManagedObjectContext(isMain ? .mainQueue : .privateQueue)
      if let parent = contexts.last {
        context.parent = parent
      } else {
        context.persistentStoreCoordinator = stack.coordinator
      }
      contexts.append(context)
    }
    self.contexts = contexts
  }

  /// Performs work on the queues of all contexts, or with `otherThread` only on the deepest context's queue.
  func run(_ body: @escaping @Sendable () throws -> Void) async throws {
    switch queues {
    case .main: try await MainActor.run { try body() }
    case .mixed:
      // The main queue comes first: code on a private queue cannot see that the main queue waits for it.
      try await MainActor.run { try hold(contexts.reversed()[...], body) }
    case .held: try hold(contexts[...], body)
    case .otherThread: try deepest.performAndWait(body)
    }
  }

  private func hold(
    _ contexts: ArraySlice<NSManagedObjectContext>, _ body: () throws -> Void
  ) throws {
    guard let last = contexts.last else { return try body() }
    try last.performAndWait { try hold(contexts.dropLast(), body) }
  }

  /// Saves the deepest context, then those above it up to the root.
  func save() throws {
    try deepest.save()
    try saveAbove()
  }

  func saveAbove() throws {
    try above {
      for context in contexts.dropLast().reversed() {
        try context.performAndWait { try context.save() }
      }
    }
  }

  /// Performs work on contexts above the deepest one: with `otherThread` on another thread, otherwise on the current
  /// one.
  func above(_ body: @escaping @Sendable () throws -> Void) throws {
    guard queues == .otherThread else { return try body() }
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    Thread.detachNewThread {
      outcome.result = Result { try body() }
      done.signal()
    }
    done.wait()
    try outcome.result.get()
  }

  private final class Outcome: @unchecked Sendable {
    var result: Result<Void, any Error> = .success(())
  }

  /// Returns the values of a key in the store, as another context reads them.
  func stored(_ entity: String, _ key: String) throws -> [String] {
    try stack.reading { context in
      try context.all(entity, sort: [key]).map { $0[key] ?? "nil" }
    }
  }
}
