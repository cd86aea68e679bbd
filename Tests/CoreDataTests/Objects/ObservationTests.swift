@testable import CoreData
import Foundation
import Observation
import Synchronization
import Testing

@Suite("Observation of managed objects", .onEveryStore)
struct ObservationTests {
  /// Calls `read` with observation tracking, and counts the change.
  private func track(_ changes: Counter, _ read: () -> Void) {
    withObservationTracking(read) { changes.value.add(1, ordering: .relaxed) }
  }

  final class Counter: Sendable {
    let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .relaxed) }
  }

  @Test("Tracked reads are detected, even if Observation's thread variable is not found")
  func probes() async {
    @Sendable func check() {
      // The second probe works as if the variable was not found: reads are still correct, but slower.
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
    @Test("The thread variable of Observation is found on this platform")
    func variable() { #expect(TrackingVariable.find() != 0) }
  #endif

  @Test("A change to a property that was read is reported once, and other changes are not")
  func setting() throws {
    let stack = try SampleStack()
    let context = stack.context
    context.performAndWait {
      let player = context.insert("Player", ["name": "Ann", "age": 7])
      let other = context.insert("Player")
      let changes = Counter()
      track(changes) { _ = player.value(forKey: "name") }
      player.setValue(8, forKey: "age")
      other.setValue("Bea", forKey: "name")
      #expect(changes.count == 0)
      player.setValue("Cid", forKey: "name")
      #expect(changes.count == 1)
      player.setValue("Dot", forKey: "name")
      #expect(changes.count == 1)
    }
  }

  @Test("Setting the inverse, a refresh, a merge and a rollback are reported")
  func others() throws {
    let stack = try SampleStack()
    let context = stack.context
    let second = stack.newContext()
    let id = try context.performAndWait {
      let (team, player) = (context.insert("Team"), context.insert("Player"))
      let changes = Counter()
      track(changes) { _ = team.value(forKey: "players") }
      player.setValue(team, forKey: "team")
      #expect(changes.count == 1)
      try context.save()
      track(changes) { _ = player.value(forKey: "name") }
      context.refresh(player, mergeChanges: false)
      #expect(changes.count == 2)
      player.setValue("Ann", forKey: "name")
      track(changes) { _ = player.value(forKey: "name") }
      context.rollback()
      #expect(changes.count == 3)
      return player.objectID
    }
    let changes = Counter()
    let player = context.performAndWait { context.object(with: id) }
    context.performAndWait { track(changes) { _ = player.value(forKey: "name") } }
    let notification = Recorder(.NSManagedObjectContextDidSave, of: second)
    try second.performAndWait {
      second.object(with: id).setValue("Bea", forKey: "name")
      try second.save()
    }
    let saved = try #require(notification.notifications.first)
    context.performAndWait {
      context.mergeChanges(fromContextDidSave: saved)
      #expect(changes.count == 1)
      #expect(player.value(forKey: "name") as? String == "Bea")
    }
  }

  @Test("A merge reports only the properties that the other context changed")
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

  @Test("A change that a fetch finds is reported, whether it is merged later or never")
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
    let changes = Counter()
    context.performAndWait { track(changes) { _ = player.value(forKey: "name") } }
    // Merging another property turns the object into a fault without notifying observers of the
    // name.
    let first = try save("age", 8)
    context.performAndWait {
      context.mergeChanges(fromContextDidSave: first)
      #expect(changes.count == 0)
    }
    let change = try save("name", "Bea")
    try context.performAndWait {
      let fetched = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Player"))
      #expect(fetched == [player])
      context.processPendingChanges()
      // A custom store returns rows only when a fetch requests them.
      #expect(changes.count == (player.value(forKey: "name") as? String == "Bea" ? 1 : 0))
      context.mergeChanges(fromContextDidSave: change)
      #expect(changes.count == 1)
      #expect(player.value(forKey: "name") as? String == "Bea")
    }
  }

  @Test("Refreshing all objects reports everything that was read, and reads nothing")
  func refreshingAll() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let player = context.insert("Player", ["name": "Ann", "age": 7])
      try context.save()
      let changes = Counter()
      track(changes) { _ = player.value(forKey: "name") }
      context.refreshAllObjects()
      #expect(changes.count == 1 && player.isFault && !player.snapshot.isPresent)
      track(changes) { _ = player.value(forKey: "name") }
      player.setValue("Bea", forKey: "name")
      #expect(changes.count == 2)
    }
  }

  @Test(
    "Values that the store computes during a save are reported",
    .only(TestedStore.sqlKinds, "Apple: only SQLite stores support derived attributes"))
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
      let changes = Counter()
      track(changes) { _ = player.value(forKey: "upper") }
      player.setValue("Bea", forKey: "name")
      #expect(changes.count == 0)
      try context.save()
      context.processPendingChanges()
      #expect(changes.count == 1)
      #expect(player.value(forKey: "upper") as? String == "BEA")
    }
  }
}
