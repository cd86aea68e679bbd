import CoreData
import CoreDataTestSupport
import Testing

// Sources: Apple's page for NSPersistentStoreRemoteChange; tests of CoreDataPlus. The notification is
// posted to every coordinator of the file, including the writer's, for saves and batch requests.
// Its object is the coordinator, its user info has the store's UUID and URL, and it is posted on a
// thread of its own.
@Suite("NSPersistentStoreRemoteChange")
struct RemoteChangeTests {
  private let option: [AnyHashable: Any] = [
    NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber
  ]

  private func wait(_ recorder: Recorder, for count: Int) -> [Notification] {
    for _ in 0..<300_000 where recorder.notifications.count < count { usleep(2000) }
    return recorder.notifications
  }

  @Test("The notification is posted for own and remote saves, with the store's URL and UUID")
  func posted() throws {
    for shared in SharedStore.allCases {
      let opened = try shared.open(options: option)
      let there = opened.there
      let coordinators = [opened.here, try #require(there.persistentStoreCoordinator)]
      let recorders = coordinators.map { Recorder(.NSPersistentStoreRemoteChange, of: $0) }
      try there.performAndWait {
        there.insert("Player", ["number": 1])
        try there.save()
      }
      for (recorder, coordinator) in zip(recorders, coordinators) {
        let notifications = wait(recorder, for: 1)
        #expect(notifications.count == 1, "\(shared)")
        let info = notifications.first?.userInfo
        let store = try #require(coordinator.persistentStores.first)
        #expect(info?[NSStoreUUIDKey] as? String == store.identifier)
        #expect(info?["storeURL"] as? URL == store.url)
        #expect(info?["historyToken"] == nil)
      }
    }
  }

  #if os(Linux)
    private static let variable = "OPENCOREDATA_REMOTE_CHANGES_OF"

    @Test(
      "Helper: another process saves",
      .enabled(if: OtherProcess.argument(RemoteChangeTests.variable) != nil))
    func otherProcess() throws {
      let path = try #require(OtherProcess.argument(Self.variable))
      let (_, context) = try TestedStore.sqlite.open(
        SampleStack.makeModel(), at: URL(fileURLWithPath: path))
      try context.performAndWait {
        context.insert("Player", ["number": 1])
        try context.save()
      }
    }

    @Test("The notification is posted for another process's save")
    func processes() throws {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      let (store, context) = try TestedStore.sqlite.open(
        SampleStack.makeModel(), at: url, options: option)
      let recorder = Recorder(
        .NSPersistentStoreRemoteChange, of: context.persistentStoreCoordinator)
      try OtherProcess.run("RemoteChangeTests/otherProcess", setting: Self.variable, to: url.path)
      let notifications = wait(recorder, for: 1)
      #expect(notifications.count == 1)
      #expect(notifications.first?.userInfo?[NSStoreUUIDKey] as? String == store.identifier)
      #expect(notifications.first?.userInfo?["storeURL"] as? URL == url)
    }
  #endif

  @Test("The notification is posted for batch requests, while the writer's context is free")
  func batches() throws {
    let opened = try SharedStore.writeAheadLog.open(options: option)
    let there = opened.there
    final class Threads: @unchecked Sendable {
      let lock = NSLock()
      var seen: [Bool] = []
    }
    let threads = Threads()
    let token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: there.persistentStoreCoordinator, queue: nil
    ) { _ in
      // The writer's context and store are not locked, so that both can be used here.
      let isFree = there.performAndWait {
        (try? there.count(for: NSFetchRequest<NSManagedObject>(entityName: "Player"))) != nil
      }
      threads.lock.withLock { threads.seen.append(isFree) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let recorder = Recorder(.NSPersistentStoreRemoteChange, of: opened.here)
    let requests: [() throws -> [NSManagedObjectID]] = [
      { try there.batchInsert("Player", [["number": 1], ["number": 2]]) },
      { try there.batchUpdate("Player", "number == 1", ["name": "x"]) },
      { try there.batchDelete("Player") },
    ]
    for (number, request) in requests.enumerated() {
      _ = try there.performAndWait { try request() }
      #expect(wait(recorder, for: number + 1).count == number + 1)
    }
    for _ in 0..<300_000 where threads.lock.withLock({ threads.seen.count }) < 3 { usleep(2000) }
    #expect(threads.lock.withLock { threads.seen } == [true, true, true])
  }

  @Test("The notification is not posted without the option")
  func withoutOption() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let recorder = Recorder(.NSPersistentStoreRemoteChange, of: nil)
    let uuid = opened.here.persistentStores.first?.identifier
    let follower = try Follower(opened.here, sort: ["number"])
    // A notification of the first save would be posted before the second save is merged.
    for number in 1...2 {
      try opened.there.performAndWait {
        opened.there.insert("Player", ["number": number])
        try opened.there.save()
      }
      follower.wait { follower.column("number").count == number }
    }
    let own = recorder.notifications.filter { $0.userInfo?[NSStoreUUIDKey] as? String == uuid }
    #expect(own.isEmpty)
  }
}
