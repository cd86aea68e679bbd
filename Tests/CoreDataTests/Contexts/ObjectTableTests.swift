import FixtureSupport
import Foundation
import Synchronization
import Testing

@testable import CoreData

/// Calls a closure in `deinit`, before the table removes the object.
final class EndingPlayer: NSManagedObject {
  nonisolated(unsafe) static var onDeinit: (() -> Void)?
  deinit {
    let onDeinit = Self.onDeinit
    Self.onDeinit = nil
    onDeinit?()
  }
}

@Suite("The table of a context's objects by key")
struct ObjectTableTests {
  @Test("agrees with a dictionary for every pattern of keys")
  func randomChanges() throws {
    let stack = try SampleStack()
    let entity = try #require(stack.model.entitiesByName["Player"])
    var random = SeededGenerator("ObjectTable")
    for round in 0..<60 {
      let table = ObjectTable(root: 0, origin: .temporary, registry: ObjectRegistry())
      var naive: [Int64: NSManagedObject] = [:]
      // The keys are adjacent, negative, in the same slot of every page, far apart, scattered, or at the limits of
      // integers.
      let pattern: (Int64) -> Int64 = [
        { $0 }, { -$0 - 1 }, { $0 * 16 }, { $0 << 32 }, { $0 &* 0x1e37_79b9_7f4a_7c15 },
        { $0 % 2 == 0 ? .max - $0 : .min + $0 },
      ][round % 6]
      for step in 0..<600 {
        let key = pattern(Int64.random(in: 0..<200, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          let object = NSManagedObject(entity: entity, insertInto: nil)
          object.key = key
          #expect(table.set(object, for: key) === naive[key])
          naive[key] = object
        case 2:
          if let object = naive.removeValue(forKey: key) { table.remove(object, for: key) }
        case 3:
          // Removing another object with the same key keeps the registered one.
          let other = NSManagedObject(entity: entity, insertInto: nil)
          table.remove(other, for: key)
        default: break
        }
        #expect(table[key] === naive[key], "seed \(random.seed), round \(round), step \(step)")
        if step % 20 == 0 {
          #expect(
            table.checkInvariants() == nil, "seed \(random.seed), round \(round), step \(step)")
        }
      }
      #expect(
        Set(table.objects.map(ObjectIdentifier.init))
          == Set(naive.values.map(ObjectIdentifier.init)))
      for key in (0..<200).map({ pattern($0) }) { #expect(table[key] === naive[key]) }
      for (key, object) in naive { table.remove(object, for: key) }
      #expect(table.objects.isEmpty)
      #expect(table.checkInvariants() == nil)
    }
  }

  @Test("detects an object whose key was changed")
  func changedKey() throws {
    let stack = try SampleStack()
    let entity = try #require(stack.model.entitiesByName["Player"])
    let table = ObjectTable(root: 0, origin: .temporary, registry: ObjectRegistry())
    let object = NSManagedObject(entity: entity, insertInto: nil)
    object.key = 5
    #expect(table.set(object, for: 5) == nil)
    #expect(table.checkInvariants() == nil)
    object.key = 6
    // The check does not repair the table.
    for _ in 0..<2 { #expect(table.checkInvariants() == "an object is not found by its key 6") }
    object.key = 5
    #expect(table.checkInvariants() == nil)
    table.remove(object, for: 5)
  }

  @Test("detects empty pages and duplicate addresses")
  func brokenPages() {
    var pages = ObjectPages()
    defer { pages.free() }
    #expect(pages.checkInvariants() == nil)
    let cell = pages.cell(for: 21)
    #expect(pages.checkInvariants() == "page 2 is empty")
    pages.put(4096, at: cell, for: 21)
    #expect(pages.checkInvariants() == nil)
    let other = pages.cell(for: 800)
    pages.put(4096, at: other, for: 800)
    #expect(pages.checkInvariants() == "an address has two keys")
    pages.remove(4096, for: 21)
    #expect(pages.checkInvariants() == nil)
  }

  @Test("allows a fetch of the same row and a reset during an object's deinit")
  func replacedInDeinit() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.managedObjectClassName = String(reflecting: EndingPlayer.self)
    let stack = try SampleStack(model: model)
    try stack.context.performAndWait {
      stack.context.insert("Player", ["number": 1])
      try stack.context.save()
    }
    for _ in 0..<100 {
      let context = stack.newContext()
      try context.performAndWait {
        var held = try context.all("Player")
        let isOfClass = held.first is EndingPlayer
        #expect(isOfClass)
        nonisolated(unsafe) var former: NSManagedObjectID?
        EndingPlayer.onDeinit = {
          // Fetches the same row while the table still has the address of the object in deinit.
          former = (try? context.all("Player"))?.first?.objectID
          context.reset()
        }
        held = []
        #expect(EndingPlayer.onDeinit == nil)
        #expect(former != nil)
      }
    }
  }

  @Test("allows releases on any thread while the context looks up objects")
  func releasedOnOtherThreads() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      for number in 0..<300 { stack.context.insert("Player", ["number": number]) }
      try stack.context.save()
      stack.context.reset()
    }
    let context = stack.newContext()
    let work = DispatchGroup()
    for round in 0..<200 {
      let kept = try context.performAndWait {
        let players = try context.all("Player", sort: ["number"])
        #expect(players.count == 300)
        #expect(players.enumerated().allSatisfy { $0.element["number"] == $0.offset })
        return Held(
          players.filter { $0["number"].map { (number: Int) in number % 3 == round % 3 } ?? false })
      }
      // The queue releases the last references while the next round makes objects of the same rows.
      DispatchQueue.global().async(group: work) { kept.release() }
    }
    work.wait()
    let count = context.performAndWait { context.registeredObjects.count }
    #expect(count == 0)
  }

  @Test("allows releases on other threads during the context's deinit")
  func contextEnds() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      for number in 0..<50 { stack.context.insert("Player", ["number": number]) }
      try stack.context.save()
      stack.context.reset()
    }
    let work = DispatchGroup()
    for _ in 0..<200 {
      let context = stack.newContext()
      let held = try context.performAndWait { Held(try context.all("Player")) }
      DispatchQueue.global().async(group: work) { held.release() }
    }
    work.wait()
    #expect(try stack.reading { try $0.all("Player").count } == 50)
  }

  /// Objects whose last references are released explicitly.
  private final class Held: Sendable {
    private let objects: Mutex<[NSManagedObject]>

    init(_ objects: [NSManagedObject]) {
      nonisolated(unsafe) let objects = objects
      self.objects = Mutex(objects)
    }

    func release() { objects.withLock { $0 = [] } }
  }
}
