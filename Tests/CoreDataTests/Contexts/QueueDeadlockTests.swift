import FixtureSupport
import Foundation
import Synchronization
import Testing

@testable import CoreData

/// Contexts of one tree that wait for each other, which deadlocks in Apple's Core Data.
///
/// Sources: developer.apple.com/forums/thread/651325 and stackoverflow.com/questions/25541585, where a main-queue
/// context waits for its child while the child fetches.
@Suite(
  "Contexts of one tree do not deadlock", .onEveryStore, .timeLimit(.minutes(60))
)
struct QueueDeadlockTests {
  private static func tree(_ depth: Int) throws -> (SampleStack, [NSManagedObjectContext]) {
    let stack = try SampleStack()
    var contexts = [stack.context]
    for _ in 0..<depth {
      contexts.append(ChildContextTests.child(of: contexts[contexts.count - 1]))
    }
    return (stack, contexts)
  }

  @Test("a child can fetch while its parent waits for it", arguments: [1, 2, 3])
  func fetchWhileParentWaits(depth: Int) throws {
    let (_, contexts) = try Self.tree(depth)
    let (root, leaf) = (contexts[0], contexts[depth])
    root.performAndWait { _ = root.insert("Player", ["name": "Ann"]) }
    let (begun, waited) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    nonisolated(unsafe) var names: [String?] = []
    leaf.perform {
      begun.signal()
      waited.wait()
      names = ((try? leaf.all("Player")) ?? []).map { $0.value(forKey: "name") as? String }
    }
    root.performAndWait {
      begun.wait()
      waited.signal()
      leaf.performAndWait { #expect(names == ["Ann"]) }
    }
    #expect(names == ["Ann"])
  }

  @Test("a fetch that waits for its parent completes when the parent starts to wait for the child")
  func fetchFirst() throws {
    let (_, contexts) = try Self.tree(2)
    let (root, middle, leaf) = (contexts[0], contexts[1], contexts[2])
    root.performAndWait { _ = root.insert("Player", ["name": "Ann"]) }
    let threads = WaitingThreads()
    nonisolated(unsafe) var count = -1
    root.performAndWait {
      leaf.perform(threads.watching { count = (try? leaf.all("Player").count) ?? -2 })
      threads.waitUntilOthersWait()
      middle.performAndWait { leaf.performAndWait { #expect(count == 1) } }
    }
  }

  @Test("a child with unsaved changes can merge automatically while its parent waits for it")
  func automaticMerge() throws {
    let (stack, contexts) = try Self.tree(2)
    let (root, parent, child) = (contexts[0], contexts[1], contexts[2])
    let ann = try root.performAndWait {
      let ann = root.insert("Player", ["name": "Ann"])
      try root.save()
      return ann.objectID
    }
    child.performAndWait { child.automaticallyMergesChangesFromParent = true }
    try parent.performAndWait {
      for round in 0..<60 {
        child.performAndWait { child.object(with: ann).setValue(Int32(round), forKey: "age") }
        parent.object(with: ann).setValue("Ann \(round)", forKey: "name")
        _ = parent.insert("Player", ["name": "Bob \(round)"])
        try parent.save()
        child.performAndWait {
          let own = child.object(with: ann)
          #expect(own.value(forKey: "name") as? String == "Ann \(round)")
          #expect(own.value(forKey: "age") as? Int32 == Int32(round))
        }
      }
    }
    withExtendedLifetime(stack) {}
  }

  @Test(
    "a block for the main queue runs on the main thread, even while that thread waits for the block's caller"
  )
  @MainActor
  func mainThread() throws {
    let stack = try SampleStack()
    let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    main.persistentStoreCoordinator = stack.coordinator
    let child = ChildContextTests.child(of: main)
    _ = main.insert("Player", ["name": "Ann"])
    let begun = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var facts: [Int] = []
    child.perform {
      begun.signal()
      facts.append((try? child.all("Player").count) ?? -1)
      main.performAndWait {
        MainActor.assumeIsolated { facts.append(main.registeredObjects.count) }
        child.performAndWait { facts.append(3) }
      }
      facts.append(4)
    }
    begun.wait()
    child.performAndWait { #expect(facts == [1, 1, 3, 4]) }
    #expect(facts == [1, 1, 3, 4])
  }

  @Test(
    "a child waits while its parent waits for a context that does not need the child")
  func noCircle() throws {
    let (stack, contexts) = try Self.tree(1)
    let (root, sibling) = (contexts[0], contexts[1])
    let other = stack.newContext()
    let (begun, release, done) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let isInside = Mutex(false)
    other.perform { release.wait() }
    sibling.perform {
      begun.wait()
      _ = try? sibling.all("Player")
      isInside.withLock { $0 = true }
      done.signal()
    }
    root.performAndWait {
      begun.signal()
      // The child, `sibling`, starts to wait for the root while the root waits for work that does not need the child.
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { release.signal() }
      other.performAndWait { #expect(!isInside.withLock { $0 }) }
    }
    done.wait()
    #expect(isInside.withLock { $0 })
  }

  @Test("siblings may wait for each other")
  func siblings() throws {
    let stack = try SampleStack()
    let (first, second) = (stack.context, stack.newContext())
    let (one, two) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let count = Mutex(0)
    first.perform {
      one.signal()
      two.wait()
      second.performAndWait { count.withLock { $0 += 1 } }
    }
    second.performAndWait {
      two.signal()
      one.wait()
      first.performAndWait { count.withLock { $0 += 1 } }
    }
    first.performAndWait {}
    #expect(count.withLock { $0 } == 2)
  }

  @Test("blocks run in order, whether submitted by perform or performAndWait")
  func order() throws {
    let (_, contexts) = try Self.tree(1)
    for context in contexts {
      let numbers = Mutex<[Int]>([])
      for number in 0..<1000 {
        if number % 7 == 3 {
          context.performAndWait { numbers.withLock { $0.append(number) } }
        } else {
          context.perform { numbers.withLock { $0.append(number) } }
        }
      }
      context.performAndWait { numbers.withLock { $0.append(1000) } }
      #expect(numbers.withLock { $0 } == Array(0...1000))
    }
  }

  /// Sibling contexts, and blocks on their queues that wait for each other.
  ///
  /// A visitor is a block that runs on the queue of a context whose own block waits. It breaks a cycle of waiting
  /// contexts (`QueueTurn`).
  private final class Scene: Sendable {
    let stack: SampleStack
    let contexts: [NSManagedObjectContext]
    private let isInside = Mutex(false)
    private let visitBegan = DispatchSemaphore(value: 0)
    let threads = WaitingThreads()

    init(count: Int) throws {
      let stack = try SampleStack()
      self.stack = stack
      contexts = [stack.context] + (1..<count).map { _ in stack.newContext() }
    }

    /// Enqueues a block of `context` that visits the first context, where it waits for `other`.
    func visit(from context: Int, waitingFor other: Int) {
      let visit = threads.watching { [self] in
        contexts[0].performAndWait {
          isInside.withLock { $0 = true }
          visitBegan.signal()
          contexts[other].performAndWait {}
          threads.waitUntilOthersWait()
          isInside.withLock { $0 = false }
        }
      }
      contexts[context].perform(visit)
    }

    /// Enqueues a block of `context` that waits for `other`, after the visit of the first context has begun.
    func afterVisit(from context: Int, waitFor other: Int) {
      let wait = threads.watching { [self] in
        visitBegan.wait()
        threads.waitUntilOthersWait()
        contexts[other].performAndWait {}
        threads.waitUntilOthersWait()
      }
      contexts[context].perform(wait)
    }

    /// Waits for `other`. The caller runs in a block of the first context, and when the wait ends, no visitor of the
    /// first context may be left.
    func wait(for other: Int) {
      threads.run {
        threads.waitUntilOthersWait()
        contexts[other].performAndWait {}
        #expect(!isInside.withLock { $0 })
      }
    }

    func end() {
      for context in contexts { context.performAndWait {} }
    }
  }

  @Test(
    "a block that becomes a visitor itself resumes only after visitors of its context have left"
  )
  func visitorsLeaveBeforeOwnerLetIn() throws {
    let scene = try Scene(count: 4)
    scene.contexts[3].performAndWait {
      scene.contexts[0].performAndWait {
        scene.visit(from: 1, waitingFor: 2)
        scene.afterVisit(from: 2, waitFor: 3)
        scene.wait(for: 1)
      }
    }
    scene.end()
  }

  @Test(
    "a block that acquires the queue it waits for resumes only after visitors of its context have left"
  )
  func visitorsLeaveBeforeOwnerGranted() throws {
    let scene = try Scene(count: 4)
    let others = scene.contexts
    others[0].performAndWait {
      scene.visit(from: 1, waitingFor: 3)
      scene.threads.waitUntilOthersWait()
      others[2].perform(scene.threads.watching { others[1].performAndWait {} })
      scene.afterVisit(from: 3, waitFor: 2)
      scene.wait(for: 2)
    }
    scene.end()
  }

  /// Random work of many threads on the queues of contexts.
  private final class RandomWork: Sendable {
    let contexts: [NSManagedObjectContext]
    private let lock = NSLock()
    /// The number of blocks of each context that have run. Guarded by an `NSLock`, because the thread sanitizer does
    /// not understand `Mutex`.
    nonisolated(unsafe) private var counted: [Int]
    var counts: [Int] { lock.withLock { counted } }
    let errors = Mutex<[String]>([])

    init(_ contexts: [NSManagedObjectContext]) {
      self.contexts = contexts
      counted = contexts.map { _ in 0 }
    }

    func run(_ generator: inout SeededGenerator, _ depth: Int) {
      let index = Int.random(in: 0..<contexts.count, using: &generator)
      let context = contexts[index]
      let seed = generator.next()
      if Int.random(in: 0..<4, using: &generator) == 0 {
        context.perform { self.work(index, seed, depth) }
      } else {
        context.performAndWait { self.work(index, seed, depth) }
      }
    }

    private func work(_ index: Int, _ seed: UInt64, _ depth: Int) {
      var generator = SeededGenerator(seed: seed)
      let context = contexts[index]
      // Deliberately without a lock: if two blocks ran at once, increments would be lost, and the thread sanitizer
      // would report a race.
      let before = context.userInfo["count"] as? Int ?? 0
      context.userInfo["count"] = before + 1
      if Bool.random(using: &generator) {
        do {
          _ = try context.all("Player").map { $0.value(forKey: "name") as? String }
        } catch {
          errors.withLock { $0.append("\(error)") }
        }
      }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        context.insert("Player", ["name": "\(seed)"])
        do {
          try context.save()
        } catch let error as NSError where error.code == CoreDataError.recursiveSave {
          // All contexts of a cycle are saving. The next save writes the objects.
        } catch {
          errors.withLock { $0.append("\(error)") }
        }
      }
      lock.withLock { counted[index] += 1 }
      if depth > 0 { run(&generator, depth - 1) }
    }
  }

  @Test("random work of many threads on a tree completes, and no block is lost", arguments: 0..<2)
  func randomWork(tree: Int) throws {
    var generator = SeededGenerator("queues of a tree \(tree)")
    let stack = try SampleStack()
    var contexts = [stack.context, stack.newContext()]
    while contexts.count < 8 {
      contexts.append(ChildContextTests.child(of: contexts.randomElement(using: &generator)!))
      contexts[contexts.count - 1].automaticallyMergesChangesFromParent = Bool.random(
        using: &generator)
    }
    for context in contexts { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
    let work = RandomWork(contexts)
    let seeds = (0..<6).map { _ in generator.next() }
    let rounds = WholeRun.steps(8, whole: 20)
    DispatchQueue.concurrentPerform(iterations: seeds.count) { thread in
      var generator = SeededGenerator(seed: seeds[thread])
      for _ in 0..<rounds { work.run(&generator, 3) }
    }
    // Enqueued blocks may enqueue more blocks.
    for _ in 0...4 { for context in contexts { context.performAndWait {} } }
    let counts = contexts.map { context in
      context.performAndWait { context.userInfo["count"] as? Int ?? 0 }
    }
    #expect(counts == work.counts)
    #expect(counts.reduce(0, +) == seeds.count * rounds * 4)
    #expect(work.errors.withLock { $0 } == [])
  }
}
