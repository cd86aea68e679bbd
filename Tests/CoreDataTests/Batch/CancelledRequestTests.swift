import Synchronization
import Testing

@testable import CoreData
@testable import SQLiteEngine

@Suite(
  "Cancelled requests",
  .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests and history"))
struct CancelledRequestTests {
  enum Action: CaseIterable, CustomTestStringConvertible {
    case insert, update, delete
    /// Requests that do not end or that take minutes.
    case endlessInsert, slowUpdate, slowDelete, slowLimitedDelete
    case deleteHistory, fetchHistory

    static let long: [Action] = [.endlessInsert, .slowUpdate, .slowDelete]
    static let short: [Action] = [.insert, .update, .delete, .deleteHistory, .fetchHistory]

    var testDescription: String { "\(self)" }

    /// Compares each player with all players of the team.
    private static let slow = "SUBQUERY(team.players, $p, $p.name CONTAINS name).@count > 5000"

    func execute(in context: NSManagedObjectContext) throws {
      switch self {
      case .insert: try context.batchInsert("Player", [["number": -1]])
      case .update: try context.batchUpdate("Player", nil, ["number": -1])
      case .delete: try context.batchDelete("Player")
      case .endlessInsert:
        try context.execute(
          NSBatchInsertRequest(entityName: "Player") { (row: NSMutableDictionary) in
            row["number"] = -1
            return false
          })
      case .slowUpdate: try context.batchUpdate("Player", Self.slow, ["number": -1])
      case .slowDelete: try context.batchDelete("Player", Self.slow)
      case .slowLimitedDelete:
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
        fetch.predicate = NSPredicate(format: Self.slow)
        fetch.fetchLimit = 1
        try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
      case .deleteHistory:
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
      case .fetchHistory:
        try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
      }
    }
  }

  /// Opens a store with history that has players of one team, and returns a context with a private queue.
  private func opened(
    _ count: Int
  ) throws -> (stack: HistoryStack, context: NSManagedObjectContext) {
    let stack = try HistoryStack()
    let team = stack.context.insert("Team", ["name": "all"])
    for number in 0..<count {
      stack.context.insert(
        "Player", ["name": "player \(number)", "number": number, "team": team])
    }
    try stack.context.save()
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = stack.coordinator
    return (stack, context)
  }

  /// Observes a request through its checks for cancellation. Never cancels the request itself.
  private final class ObservedProgress: Progress, @unchecked Sendable {
    private let remainingChecks: Mutex<Int>
    private let (stream, continuation) = AsyncStream<Void>.makeStream()

    /// - Parameter checks: The number of checks after which the request counts as running.
    init(checks: Int) {
      remainingChecks = Mutex(checks)
      super.init(parent: nil, userInfo: nil)
    }

    override var isCancelled: Bool {
      get {
        let isDue = remainingChecks.withLock {
          $0 -= 1
          return $0 == 0
        }
        if isDue { continuation.finish() }
        return false
      }
      set { super.isCancelled = newValue }
    }

    func wait() async { for await _ in stream {} }

    /// Ends the waiting for a request that ended before it checked often enough.
    func endWaiting() { continuation.finish() }
  }

  /// Starts a task that executes a request, and returns it with the progress that reports when the request runs.
  private func start(
    _ action: Action, in context: NSManagedObjectContext, checks: Int
  ) -> (Task<Void, any Error>, ObservedProgress) {
    let progress = ObservedProgress(checks: checks)
    let task = Task {
      defer { progress.endWaiting() }
      try await context.perform {
        progress.becomeCurrent(withPendingUnitCount: 1)
        defer { progress.resignCurrent() }
        try action.execute(in: context)
      }
    }
    return (task, progress)
  }

  /// Expects that no row was changed and that the store is still usable.
  private func expectUnchanged(_ stack: HistoryStack, _ count: Int) throws {
    #expect(try stack.context.all("Player").count == count)
    #expect(try stack.context.all("Player", "number < 0").isEmpty)
    #expect(try stack.transactions().count == 1)
    try stack.context.batchUpdate("Player", "number == 0", ["number": -7])
    #expect(try stack.context.batchDelete("Player", "number < 0").count == 1)
    #expect(try stack.context.all("Player").count == count - 1)
    #expect(try stack.transactions().count == 3)
  }

  private func expectCancelled(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("no error was thrown", sourceLocation: sourceLocation)
    } catch {
      #expect(
        (error as? CocoaError)?.code == .userCancelled, "\(error)", sourceLocation: sourceLocation)
    }
  }

  @Test(
    "Cancellation ends a running batch request, and the store is unchanged",
    arguments: Action.long)
  func inTheMiddle(_ action: Action) async throws {
    let (stack, context) = try opened(3000)
    let (task, progress) = start(action, in: context, checks: 100)
    await progress.wait()
    task.cancel()
    await expectCancelled { try await task.value }
    try expectUnchanged(stack, 3000)
  }

  @Test(
    "Cancellation ends the fetch of a deletion with a limit in several stores",
    .only([.sqlite], "the second store is a file"))
  func selecting() async throws {
    let (stack, context) = try opened(3000)
    let folder = try TemporaryFolder()
    try stack.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("second.sqlite"))
    let (task, progress) = start(.slowLimitedDelete, in: context, checks: 100)
    await progress.wait()
    task.cancel()
    await expectCancelled { try await task.value }
    #expect(try stack.context.all("Player").count == 3000)
  }

  @Test(
    "A cancelled task executes no batch or history request, but its blocks can still fetch and save",
    arguments: Action.short)
  func before(_ action: Action) async throws {
    let (stack, context) = try opened(10)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      await expectCancelled { try await context.perform { try action.execute(in: context) } }
      try await context.perform {
        let team = try #require(try context.all("Team").first)
        team["name"] = "saved"
        try context.save()
      }
    }
    task.cancel()
    try await task.value
    #expect(try stack.context.all("Team", "name == 'saved'").count == 1)
    #expect(try stack.context.all("Player", "number >= 0").count == 10)
    #expect(try stack.transactions().count == 2)
    // The next block, of a task that is not cancelled, executes the request.
    try await context.perform { try action.execute(in: context) }
  }

  @Test("Unstructured work that a block starts is not cancelled with the block's task")
  func unstructured() async throws {
    let (stack, context) = try opened(10)
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = stack.coordinator
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await context.perform {
        Task { try other.performAndWait { try Action.insert.execute(in: other) } }
      }
    }
    task.cancel()
    try await task.value.value
    #expect(try stack.context.all("Player", "number < 0").count == 1)
    // Cancellation reaches a block of another context if the task's block waits for it.
    let nested = Task {
      while !Task.isCancelled { await Task.yield() }
      try await context.perform {
        try other.performAndWait { try Action.delete.execute(in: other) }
      }
    }
    nested.cancel()
    await expectCancelled { try await nested.value }
    #expect(try stack.context.all("Player").count == 11)
  }

  @Test("Cancelling the current progress ends a request")
  func progress() async throws {
    let (stack, context) = try opened(10)
    await expectCancelled {
      try context.performAndWait {
        let progress = Progress(totalUnitCount: 1)
        progress.becomeCurrent(withPendingUnitCount: 1)
        defer { progress.resignCurrent() }
        var count = 0
        try context.execute(
          NSBatchInsertRequest(entityName: "Player") { (row: NSMutableDictionary) in
            count += 1
            if count == 1000 { progress.cancel() }
            row["number"] = -1
            return false
          })
      }
    }
    try expectUnchanged(stack, 10)
  }

  @Test(
    "A cancelled request stops waiting for another writer's lock",
    .only([.sqlite], "only a file can be locked by another connection"),
    arguments: [Action.insert, .update, .delete, .deleteHistory], [false, true])
  func waiting(_ action: Action, isOther: Bool) async throws {
    let (stack, context) = try opened(10)
    let holder = try isOther ? stack.another() : stack
    let engine = try #require(holder.store.engine as? SQLiteStore)
    let began = DispatchSemaphore(value: 0)
    let end = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? engine.pool.write { connection in
        try connection.transaction {
          began.signal()
          end.wait()
        }
      }
      ended.signal()
    }
    await Task.detached { began.wait() }.value
    let (task, progress) = start(action, in: context, checks: 10)
    await progress.wait()
    task.cancel()
    await expectCancelled { try await task.value }
    end.signal()
    await Task.detached { ended.wait() }.value
    try expectUnchanged(stack, 10)
  }
}
