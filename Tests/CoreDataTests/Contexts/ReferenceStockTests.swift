import Foundation
import Synchronization
import Testing

@testable import CoreData

@Suite("Reference stock and brief lock")
struct ReferenceStockTests {
  private final class Counted {
    nonisolated(unsafe) static var alive = 0
    init() { Self.alive += 1 }
    deinit { Self.alive -= 1 }
  }

  @Test(
    "An object is deallocated when all taken references are released, and the stock releases the rest"
  )
  func references() {
    weak var first: Counted?
    var taken: [Counted] = []
    do {
      let object = Counted()
      first = object
      var stock = ReferenceStock(object, count: 5)
      taken = [stock.popReference(), stock.popReference()]
      #expect(taken.allSatisfy { $0 === object })
    }
    #expect(first != nil)
    taken.removeLast()
    #expect(first != nil)
    taken = []
    #expect(first == nil)
    _ = ReferenceStock<Counted>(nil, count: 3)
    _ = ReferenceStock(Counted(), count: 0)
    #expect(Counted.alive == 0)
  }

  @Test("One thread at a time holds the lock")
  func lock() {
    final class Shared: @unchecked Sendable {
      let lock = BriefLock()
      var count = 0
      let most = Atomic<Int>(0)
      let inside = Atomic<Int>(0)
    }
    let shared = Shared()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for step in 0..<5_000 {
        shared.lock.withLock {
          let inside = shared.inside.add(1, ordering: .relaxed).newValue
          shared.most.max(inside, ordering: .relaxed)
          shared.count += 1
          // Sometimes holds the lock for a long time.
          if thread == 0, step % 1_000 == 0 { usleep(2_000) }
          shared.inside.subtract(1, ordering: .relaxed)
        }
      }
    }
    #expect(shared.count == 40_000)
    #expect(shared.most.load(ordering: .relaxed) == 1)
  }
}
