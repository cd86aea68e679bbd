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
