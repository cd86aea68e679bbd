@testable import CoreData
import Foundation
import Observation
import Synchronization
import Testing

@Suite("Observation of managed objects", .onEveryStore)
struct ObservationTests {
  /// Reads under observation; the counter says how often a change was told.
  private func track(_ told: Counter, _ read: () -> Void) {
    withObservationTracking(read) { told.value.add(1, ordering: .relaxed) }
  }

  final class Counter: Sendable {
    let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .relaxed) }
  }

  @Test("whether reads are tracked is known, with the thread's variable and without it")
  func probes() async {
    @Sendable func check() {
      // Where the variable cannot be found, reads are as right, and take longer.
      let probes = [ObservationProbe.shared, ObservationProbe(variable: 0)]
      #expect(probes.map(\.isTracking) == [false, false])
      withObservationTracking {
        #expect(probes.map(\.isTracking) == [true, true])
        withObservationTracking {
          #expect(probes.map(\.isTracking) == [true, true])
        } onChange: {
        }
        #expect(probes.map(\.isTracking) == [true, true])
        // Another thread tracks nothing.
        let isTracking = Mutex(true)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          isTracking.withLock { $0 = probes[0].isTracking }
          ended.signal()
        }
        ended.wait()
        #if os(Linux) && canImport(Glibc) && (arch(x86_64) || arch(arm64))
          #expect(!isTracking.withLock { $0 })
        #endif
      } onChange: {
      }
      #expect(probes.map(\.isTracking) == [false, false])
    }
    check()
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { check() } }
    }
  }

  #if os(Linux) && canImport(Glibc) && (arch(x86_64) || arch(arm64))
    @Test("Observation's variable is found here")
    func variable() { #expect(TrackingVariable.find() != 0) }
  #endif

  @Test("a change of a property that was read is told once, of another not")
  func setting() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.performAndWait {
      let player = context.insert("Player", ["name": "Ann", "age": 7])
      let other = context.insert("Player")
      let told = Counter()
      track(told) { _ = player.value(forKey: "name") }
      player.setValue(8, forKey: "age")
      other.setValue("Bea", forKey: "name")
      #expect(told.count == 0)
      player.setValue("Cid", forKey: "name")
      #expect(told.count == 1)
      player.setValue("Dot", forKey: "name")
      #expect(told.count == 1)
    }
  }

  @Test("the inverse of a relationship, a refresh, a merge and a rollback are told")
  func others() throws {
    let stack = try SampleStack()
    let context = stack.context
    let second = stack.newContext()
    let id = try context.performAndWait {
      let (team, player) = (context.insert("Team"), context.insert("Player"))
      let told = Counter()
      track(told) { _ = team.value(forKey: "players") }
      player.setValue(team, forKey: "team")
      #expect(told.count == 1)
      try context.save()
      track(told) { _ = player.value(forKey: "name") }
      context.refresh(player, mergeChanges: false)
      #expect(told.count == 2)
      player.setValue("Ann", forKey: "name")
      track(told) { _ = player.value(forKey: "name") }
      context.rollback()
      #expect(told.count == 3)
      return player.objectID
    }
    let told = Counter()
    let player = context.performAndWait { context.object(with: id) }
    context.performAndWait { track(told) { _ = player.value(forKey: "name") } }
    let notification = Recorder(.NSManagedObjectContextDidSave, of: second)
    try second.performAndWait {
      second.object(with: id).setValue("Bea", forKey: "name")
      try second.save()
    }
    let saved = try #require(notification.notifications.first)
    context.performAndWait {
      context.mergeChanges(fromContextDidSave: saved)
      #expect(told.count == 1)
      #expect(player.value(forKey: "name") as? String == "Bea")
    }
  }

  @Test("a merge tells of the properties that another changed, and of no others")
  func merged() throws {
    let stack = try SampleStack()
    let context = stack.context
    let second = stack.newContext()
    let (id, team) = try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann", "age": 7])
      let team = context.insert("Team")
      try context.save()
      return (player.objectID, team.objectID)
    }
    let player = context.performAndWait { context.object(with: id) }
    let counters = ["name": Counter(), "age": Counter(), "team": Counter()]
    context.performAndWait {
      for (key, counter) in counters { track(counter) { _ = player.value(forKey: key) } }
    }
    for (key, expected) in [("age", [0, 1, 0]), ("team", [0, 1, 1]), ("name", [1, 1, 1])] {
      let notification = Recorder(.NSManagedObjectContextDidSave, of: second)
      try second.performAndWait {
        let value: Any =
          switch key {
          case "age": 8
          case "team": second.object(with: team)
          default: "Bea"
          }
        second.object(with: id).setValue(value, forKey: key)
        try second.save()
      }
      let saved = try #require(notification.notifications.first)
      context.performAndWait {
        context.mergeChanges(fromContextDidSave: saved)
        #expect(["name", "age", "team"].map { counters[$0]?.count } == expected, "\(key)")
      }
    }
    context.performAndWait { #expect(player.value(forKey: "name") as? String == "Bea") }
  }

  @Test("a change that a fetch found before its merge is told, and one that is never merged")
  func fetchedBeforeMerge() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.automaticallyMergesChangesFromParent = false
    let second = stack.newContext()
    let player = try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann", "age": 7])
      try context.save()
      return player
    }
    let id = context.performAndWait { player.objectID }
    func save(_ key: String, _ value: Any) throws -> Notification {
      let notification = Recorder(.NSManagedObjectContextDidSave, of: second)
      try second.performAndWait {
        second.object(with: id).setValue(value, forKey: key)
        try second.save()
      }
      return try #require(notification.notifications.first)
    }
    let told = Counter()
    context.performAndWait { track(told) { _ = player.value(forKey: "name") } }
    // The merge of another property makes a fault of the object, which observers of the name read no more.
    let first = try save("age", 8)
    context.performAndWait {
      context.mergeChanges(fromContextDidSave: first)
      #expect(told.count == 0)
    }
    let change = try save("name", "Bea")
    try context.performAndWait {
      let fetched = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Player"))
      #expect(fetched == [player])
      context.processPendingChanges()
      // A server of a program's own gives rows when they are asked for alone.
      #expect(told.count == (player.value(forKey: "name") as? String == "Bea" ? 1 : 0))
      context.mergeChanges(fromContextDidSave: change)
      #expect(told.count == 1)
      #expect(player.value(forKey: "name") as? String == "Bea")
    }
  }

  @Test("refreshing all objects tells all that was read, and reads nothing")
  func refreshingAll() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann", "age": 7])
      try context.save()
      let told = Counter()
      track(told) { _ = player.value(forKey: "name") }
      context.refreshAllObjects()
      #expect(told.count == 1 && player.isFault && !player.snapshot.isPresent)
      track(told) { _ = player.value(forKey: "name") }
      player.setValue("Bea", forKey: "name")
      #expect(told.count == 2)
    }
  }

  @Test(
    "what the store computes in a save is told",
    .only(TestedStore.sqlKinds, "as derived attributes"))
  func derived() throws {
    let model = SampleStack.makeModel()
    let attribute = NSDerivedAttributeDescription()
    attribute.name = "upper"
    attribute.attributeType = .stringAttributeType
    attribute.derivationExpression = NSExpression(format: "uppercase:(name)")
    model.entitiesByName["Player"]?.properties.append(attribute)
    let context = try SampleStack(model: model).context
    try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann"])
      try context.save()
      let told = Counter()
      track(told) { _ = player.value(forKey: "upper") }
      player.setValue("Bea", forKey: "name")
      #expect(told.count == 0)
      try context.save()
      context.processPendingChanges()
      #expect(told.count == 1)
      #expect(player.value(forKey: "upper") as? String == "BEA")
    }
  }
}
