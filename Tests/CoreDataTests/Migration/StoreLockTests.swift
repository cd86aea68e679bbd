import Foundation
import Testing

@testable import CoreData

/// A migration by copying excludes all other migrations of the same store.
@Suite("The lock of a migration by copying")
struct StoreLockTests {
  private func filled(_ kind: TestedStore, _ folder: TemporaryFolder, _ name: String) throws -> URL
  {
    let url = kind.url(in: folder, name)
    let (store, context) = try kind.open(LibraryModels.one(), at: url)
    try context.performAndWait { try LibraryModels.fill(context, shelves: 1, booksEach: 3) }
    try store.persistentStoreCoordinator?.remove(store)
    return url
  }

  private func migrate(_ url: URL, _ kind: TestedStore) throws {
    var migration = ProgressiveMigration(through: [LibraryModels.two()])
    migration.knownModels = [LibraryModels.one()]
    migration.mappingModel = { _, _ in LibraryModels.mapping() }
    try migration.run(
      at: url, type: .init(rawValue: kind.type),
      options: [NSPersistentStoreTimeoutOption: NSNumber(value: 0.2)])
  }

  @Test(
    "The lock excludes other migrations of its store, but not those of another store in the folder",
    arguments: TestedStore.fileKinds)
  func neighbors(_ kind: TestedStore) throws {
    let folder = try TemporaryFolder()
    let (one, other) = (try filled(kind, folder, "one"), try filled(kind, folder, "other"))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    try StoreLock.withLock(on: one, timeout: 0) {
      let error = #expect(throws: NSError.self) { try migrate(one, kind) }
      #expect(error?.code == NSPersistentStoreTimeoutError)
      // The other migration may be in this process.
      let message = error?.localizedDescription ?? ""
      #expect(message.contains("another migration of the store"), "\(message)")
      try migrate(other, kind)
    }
    try migrate(one, kind)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == files)
  }

  @Test("A lock left by a process that ended does not block the next migration")
  func abandoned() throws {
    let folder = try TemporaryFolder()
    let url = try filled(.sqlite, folder, "one")
    let left = folder.url.appendingPathComponent(MigrationDraft.prefix(of: url) + "lock")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
    try migrate(url, .sqlite)
    #expect(!FileManager.default.fileExists(atPath: left.path))
  }

  /// The folder of a store's lock.
  private func lock(of url: URL) -> URL {
    url.deletingLastPathComponent().appendingPathComponent(MigrationDraft.prefix(of: url) + "lock")
  }

  @Test(
    "All users who can read a store can open the folder of its lock",
    arguments: [(0o644, 0o744), (0o640, 0o740), (0o600, 0o700)])
  func readers(_ mode: Int, _ expected: Int) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try Data().write(to: url)
    try #require(chmod(url.path, mode_t(mode)) == 0)
    let found = try StoreLock.withLock(on: url, timeout: 0) {
      try FileManager.default.attributesOfItem(atPath: lock(of: url).path)[.posixPermissions]
        as? Int
    }
    #expect(found == expected)
  }

  @Test(
    "A lock left by a process of another user does not block the next migration",
    .enabled(
      if: geteuid() == 0 && OrdinaryUser.isAvailable, "only root has files of two users"))
  func abandonedByAnotherUser() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try OrdinaryUser.own(folder.url)
    try Data().write(to: url)
    try #require(chmod(url.path, 0o644) == 0)
    // A folder that is not empty stays when the lock ends.
    let file = lock(of: url).appendingPathComponent("file")
    try StoreLock.withLock(on: url, timeout: 0) { try Data().write(to: file) }
    try FileManager.default.removeItem(at: file)
    #expect(FileManager.default.fileExists(atPath: lock(of: url).path))
    try OrdinaryUser.run { try StoreLock.withLock(on: url, timeout: 0) {} }
    #expect(!FileManager.default.fileExists(atPath: lock(of: url).path))
  }

  @Test(
    "A lock that the user may not open is reported with its folder and with what to do",
    .timeLimit(.minutes(1)),
    .enabled(
      if: OrdinaryUser.isAvailable, "root opens every folder, and no other user is available"))
  func refused() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let lock = lock(of: url)
    try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
    try OrdinaryUser.own(folder.url)
    try #require(chmod(lock.path, 0) == 0)
    defer { _ = chmod(lock.path, 0o700) }
    let error = OrdinaryUser.run {
      #expect(throws: NSError.self) { try StoreLock.withLock(on: url, timeout: 240) {} }
    }
    #expect(error?.code == NSMigrationError)
    let message = error?.localizedDescription ?? ""
    #expect(message.contains("\(lock.path), the folder of its lock"), "\(message)")
    #expect(message.contains("remove it if no other migration"), "\(message)")
  }

  @Test("Only one task holds the lock at any time")
  func alone() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let counts = Counts()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20 {
            try StoreLock.withLock(on: url, timeout: 60) {
              counts.enter()
              usleep(100)
              counts.leave()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(counts.most == 1 && counts.all == 160)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  private final class Counts: @unchecked Sendable {
    private let lock = NSLock()
    private var inside = 0
    private(set) var most = 0
    private(set) var all = 0

    func enter() {
      lock.withLock {
        inside += 1
        all += 1
        most = max(most, inside)
      }
    }

    func leave() { lock.withLock { inside -= 1 } }
  }
}
