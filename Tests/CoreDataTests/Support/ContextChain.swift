import CoreData
import Foundation

/// A context of a store, and contexts below it, each the child of the one before.
///
/// Work is done on the deepest context's queue, in one turn of it: nothing that the contexts enqueue meanwhile can run.
struct ContextChain: @unchecked Sendable {
  enum Queues: CaseIterable {
    /// All contexts are the main queue's and are used directly.
    case main
    /// Private queues. Those above wait for the deepest one, so all are held by one thread.
    case held
    /// Private queues. The contexts above are saved by another thread while the deepest one's queue is busy.
    case elsewhere
    /// The contexts of the main queue and private ones in turns.
    case mixed
  }

  let stack: SampleStack
  /// The root first.
  let contexts: [NSManagedObjectContext]
  let queues: Queues

  var root: NSManagedObjectContext { contexts[0] }
  var deepest: NSManagedObjectContext { contexts[contexts.count - 1] }

  /// - Parameter depth: how many contexts there are below the root.
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

  /// Does work on the queues of all contexts; with `elsewhere` on the deepest one's alone.
  func run(_ body: @escaping @Sendable () throws -> Void) async throws {
    switch queues {
    case .main: try await MainActor.run { try body() }
    case .mixed:
      // The main queue first: from a private queue it is not known here that the main one waits.
      try await MainActor.run { try hold(contexts.reversed()[...], body) }
    case .held: try hold(contexts[...], body)
    case .elsewhere: try deepest.performAndWait(body)
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

  /// Does work on contexts above the deepest one, from where `queues` says.
  func above(_ body: @escaping @Sendable () throws -> Void) throws {
    guard queues == .elsewhere else { return try body() }
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

  /// The values of a key that the store has, as another context reads them.
  func stored(_ entity: String, _ key: String) throws -> [String] {
    try stack.reading { context in
      try context.all(entity, sort: [key]).map { $0[key] ?? "nil" }
    }
  }
}
