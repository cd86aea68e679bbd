import CoreDataTestSupport
import Testing

@testable import CoreData
@testable import SQLiteEngine

@Suite("Watching a store")
struct StoreWatchTests {
  @Test("An idle watch polls at most once a second, and not at all if no context needs it")
  func idle() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let store = try #require(opened.here.persistentStores.first)
    #expect(opened.here.remoteChanges.pollCount(of: store) == nil)
    var follower: Follower? = try Follower(opened.here, sort: ["number"])
    func polls() -> Int { opened.here.remoteChanges.pollCount(of: store) ?? 0 }
    func wait(for count: Int) {
      for _ in 0..<60_000 where polls() < count { usleep(10_000) }
    }
    // Waits until the frequent polls after opening are over. A busy machine takes longer for them and polls less often.
    wait(for: StoreWatch.pollDelays.count + 1)
    let (first, start) = (polls(), ContinuousClock.now)
    wait(for: first + 3)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    #expect(polls() >= first + 3, "the watch has stopped")
    #expect(Double(polls() - first) <= seconds + 2, "\(polls() - first) polls in \(seconds) s")
    follower?.context.automaticallyMergesChangesFromParent = false
    follower = nil
    #expect(opened.here.remoteChanges.pollCount(of: store) == nil)
  }

  @Test("The watch ends with the last context that needs it, and with the store")
  func ends() throws {
    let opened = try SharedStore.writeAheadLog.open()
    let store = try #require(opened.here.persistentStores.first)
    do {
      let follower = try Follower(opened.here, sort: ["number"])
      #expect(opened.here.remoteChanges.pollCount(of: store) != nil)
      withExtendedLifetime(follower) {}
    }
    try opened.there.performAndWait {
      opened.there.insert("Player", ["number": 1])
      try opened.there.save()
    }
    for _ in 0..<300_000 where opened.here.remoteChanges.pollCount(of: store) != nil {
      usleep(2000)
    }
    #expect(opened.here.remoteChanges.pollCount(of: store) == nil)

    let other = try Follower(opened.here, sort: ["number"])
    #expect(opened.here.remoteChanges.pollCount(of: store) != nil)
    try opened.here.remove(store)
    #expect(opened.here.remoteChanges.pollCount(of: store) == nil)
    withExtendedLifetime(other) {}
  }

  @Test("The watch notices each save", arguments: SharedStore.allCases)
  func latency(_ shared: SharedStore) throws {
    let opened = try shared.open()
    let follower = try Follower(opened.here, sort: ["number"])
    var times: [Double] = []
    for number in 1...20 {
      try opened.there.performAndWait {
        opened.there.insert("Player", ["number": number])
        try opened.there.save()
      }
      times.append(
        try #require(follower.wait { follower.table.sections[0].rows.count == number }))
      usleep(UInt32(number % 5) * 7_000)
    }
    times.sort()
    print(
      "noticed over \(shared.rawValue): median \(Int(times[10] * 1e6)) µs,"
        + " longest \(Int(times[19] * 1e6)) µs")
  }

  // A commit counts when it is on disk, and the system does not report when that happens.
  @Test("The watch polls often for some seconds after a write")
  func slowCommit() throws {
    let delays = StoreWatch.pollDelays
    #expect(delays.first == 0)
    #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 <= 50 })
    #expect(delays.last ?? 0 >= 2000)
    // A watch without an event polls as often after it begins. Then a write makes it do so again.
    let opened = try SharedStore.writeAheadLog.open()
    let store = try #require(opened.here.persistentStores.first?.engine as? SQLiteStore)
    let watch = StoreWatch(store) {}
    for _ in 0..<60_000 where watch.pollCount < delays.count + 1 { usleep(1000) }
    let before = watch.pollCount
    #expect(before >= delays.count + 1)
    try opened.there.performAndWait {
      opened.there.insert("Player", ["number": 1])
      try opened.there.save()
    }
    // Idle, the watch would need a second for each poll, which is longer than this loop.
    for _ in 0..<60_000 where watch.pollCount < before + delays.count { usleep(1000) }
    #expect(watch.pollCount >= before + delays.count)
    withExtendedLifetime((opened, watch)) {}
  }

  @Test(
    "The watch reports what happened to the file",
    arguments: ["moved", "deleted", "replaced", "destroyed"])
  func lostFile(_ what: String) throws {
    let opened = try SharedStore.writeAheadLog.open()
    try opened.there.performAndWait {
      opened.there.insert("Player", ["number": 1])
      try opened.there.save()
    }
    let follower = try Follower(opened.here, sort: ["number"])
    final class Failures: @unchecked Sendable {
      let lock = NSLock()
      var errors: [NSError] = []
    }
    let failures = Failures()
    opened.here.onStoreFailure { _, error in
      failures.lock.withLock { failures.errors.append(error as NSError) }
    }
    // The other coordinator closes the file.
    let other = try #require(opened.there.persistentStoreCoordinator)
    try other.remove(try #require(other.persistentStores.first))
    let files = FileManager.default
    switch what {
    case "moved": try files.moveItem(at: opened.url, to: opened.folder.file("elsewhere"))
    case "deleted": try files.removeItem(at: opened.url)
    case "replaced":
      let new = opened.folder.file("new.sqlite")
      let stack = try TestedStore.sqlite.open(SampleStack.makeModel(), at: new)
      try stack.context.persistentStoreCoordinator?.remove(stack.store)
      #expect(rename(new.path, opened.url.path) == 0)
    default:
      try NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
        .destroyPersistentStore(at: opened.url, ofType: NSSQLiteStoreType)
    }
    follower.wait { failures.lock.withLock { !failures.errors.isEmpty } }
    let text = failures.lock.withLock { failures.errors.first?.localizedDescription ?? "" }
    let expected = [
      "moved": "was moved or deleted while it was open",
      "deleted": "was moved or deleted while it was open",
      "replaced": "was replaced by another file while it was open",
      "destroyed": "was destroyed while it was open",
    ]
    #expect(text.contains(expected[what] ?? "?"), "\(text)")
    #expect(text.contains(opened.url.path))
    // Reading throws the same error, never one about a missing table. Reading checks the file at
    // intervals, so the first reads may succeed.
    follower.context.performAndWait {
      do {
        while true {
          follower.context.reset()
          _ = try follower.context.all("Player")
        }
      } catch {
        let text = error.localizedDescription
        #expect(text.contains(expected[what] ?? "?"), "\(text)")
      }
    }
    opened.waitForPolls()
    #expect(failures.lock.withLock { failures.errors.count } == 1)
  }

  #if os(Linux) && canImport(Glibc)
    private static let variable = "OPENCOREDATA_UNWATCHED_STORE"

    /// Calls `body` while this process cannot open any file, so that the system's watch is not
    /// available.
    private static func withoutDescriptors<Result>(_ body: () -> Result) throws -> Result {
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var usual = rlimit()
      let isKnown = getrlimit(resource, &usual) == 0
      try #require(isKnown)
      var none = usual
      none.rlim_cur = 0
      let isSet = setrlimit(resource, &none) == 0
      let result = body()
      let isBack = setrlimit(resource, &usual) == 0
      try #require(isSet && isBack)
      return result
    }

    /// The position up to which the store's changes were read, used on the queue of its watch.
    private final class Position: @unchecked Sendable {
      var token: SQLiteChangeToken

      init(_ token: SQLiteChangeToken) { self.token = token }
    }

    /// A counter of calls.
    private final class Calls: @unchecked Sendable {
      private let lock = NSLock()
      private var number = 0

      var count: Int { lock.withLock { number } }
      func add() { lock.withLock { number += 1 } }
    }

    @Test(
      "Helper: another process watches a store without the system's notifications",
      .enabled(if: OtherProcess.argument(StoreWatchTests.variable) != nil))
    func otherProcess() throws {
      let opened = try SharedStore.writeAheadLog.open()
      let store = try #require(opened.here.persistentStores.first?.engine as? SQLiteStore)
      // The process's timers also need a descriptor, which is open from the first timer on.
      let ticked = DispatchSemaphore(value: 0)
      let timer = DispatchSource.makeTimerSource()
      timer.setEventHandler { ticked.signal() }
      timer.schedule(deadline: .now() + .milliseconds(1))
      timer.activate()
      ticked.wait()
      timer.cancel()
      let (changes, failures) = (Calls(), Calls())
      let position = Position(store.openingToken())
      let watch = try Self.withoutDescriptors {
        StoreWatch(store) {
          do {
            if try !store.news(since: &position.token).isEmpty { changes.add() }
          } catch {
            failures.add()
          }
        }
      }
      #expect(watch.isPollingNow)
      let before = watch.pollCount
      for _ in 0..<60_000 where watch.pollCount < before + 10 { usleep(10_000) }
      #expect(watch.pollCount >= before + 10)
      let known = changes.count
      try opened.there.performAndWait {
        opened.there.insert("Player", ["number": 1])
        try opened.there.save()
      }
      for _ in 0..<600_000 where changes.count == known { usleep(1000) }
      #expect(changes.count > known)
      #expect(failures.count == 0)
      withExtendedLifetime((opened, watch)) {}
    }

    @Test("The watch polls if the system cannot report changes")
    func fallback() throws {
      let said = try OtherProcess.run(
        "StoreWatchTests/otherProcess", setting: Self.variable, to: "1")
      #expect(said.contains("another process watches a store"), "\(said)")
    }

    @Test("A folder that was removed is watched again when it exists again")
    func removedFolder() throws {
      let opened = try SharedStore.writeAheadLog.open()
      let store = try #require(opened.here.persistentStores.first?.engine as? SQLiteStore)
      let watch = StoreWatch(store) {}
      #expect(watch.isNotified)
      let (files, aside) = (FileManager.default, try TemporaryFolder())
      let names = try files.contentsOfDirectory(atPath: opened.folder.url.path)
      for name in names {
        try files.moveItem(at: opened.folder.file(name), to: aside.file(name))
      }
      try files.removeItem(at: opened.folder.url)
      for _ in 0..<60_000 where watch.isNotified { usleep(1000) }
      #expect(!watch.isNotified)
      try files.createDirectory(at: opened.folder.url, withIntermediateDirectories: false)
      for name in names {
        try files.moveItem(at: aside.file(name), to: opened.folder.file(name))
      }
      for _ in 0..<60_000 where !watch.isNotified { usleep(1000) }
      #expect(watch.isNotified)
      withExtendedLifetime((opened, watch)) {}
    }

    @Test("A folder that does not exist cannot be watched")
    func unwatchedFolder() throws {
      let folder = try TemporaryFolder()
      let there = FileWatch.shared.interest(in: folder.file("store.sqlite").path) {}
      let missing = FileWatch.shared.interest(in: folder.file("nowhere/store.sqlite").path) {}
      #expect(there != nil)
      #expect(missing == nil)
    }
  #endif

  @Test("File systems shared with other machines are recognized")
  func fileSystems() {
    let mounts = """
      22 27 0:20 / /proc rw,nosuid shared:5 - proc proc rw
      27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      90 27 0:51 / /home/mnt rw shared:9 - nfs4 server:/home rw
      91 27 0:52 / /far rw shared:9 master:2 - fuse.sshfs host: rw
      92 27 259:66049 / /big rw - xfs /dev/nvme rw
      """
    #expect(FileSystem.type(ofDevice: 0x801, in: mounts) == "ext4")
    #expect(FileSystem.type(ofDevice: 51, in: mounts) == "nfs4")
    #expect(FileSystem.type(ofDevice: 52, in: mounts) == "fuse.sshfs")
    // makedev(259, 66049)
    #expect(FileSystem.type(ofDevice: 0x1021_0301, in: mounts) == "xfs")
    #expect(FileSystem.type(ofDevice: 99, in: mounts) == nil)
    for type in ["nfs4", "fuse.sshfs", "fuse", "9p", "virtiofs", "cifs"] {
      #expect(FileSystem.isShared(type: type), "\(type)")
    }
    for type in ["ext4", "xfs", "btrfs", "overlay", "tmpfs", "fuseblk", "zfs"] {
      #expect(!FileSystem.isShared(type: type), "\(type)")
    }
    #expect(!FileSystem.isShared("/proc/self/nothing"))
  }
}
