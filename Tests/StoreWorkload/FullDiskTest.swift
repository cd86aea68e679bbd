import CoreData

#if canImport(Glibc)
  import Glibc
#endif

/// Fills a small disk with saves. The save that finds no space must throw and change nothing, and
/// saving must work again once there is space. The same holds for migrations.
///
/// `full-disk`: reports that it was skipped if this user cannot mount a disk in memory.
enum FullDiskTest {
  static func run(_ arguments: Arguments) throws {
    #if os(Linux)
      let folder = try TemporaryFolder()
      guard mount("tmpfs", folder.url.path, "tmpfs", 0, "size=3m") == 0 else {
        return Report.line("full-disk: left out: \(String(cString: strerror(errno)))")
      }
      defer { umount2(folder.url.path, Int32(MNT_DETACH)) }
      for journal in ["wal", "delete"] {
        try folder.empty()
        try fill(folder, journal)
      }
      for manner in ["place", "copy"] {
        for room in [0, 90_000] {
          try folder.empty()
          try migrate(folder, manner, room: room)
        }
      }
    #else
      Report.line("full-disk: left out on this system")
    #endif
  }

  private static func fill(_ folder: TemporaryFolder, _ journal: String) throws {
    let url = folder.file("ledger.sqlite")
    // A file that can be removed to make space.
    let ballast = folder.file("ballast")
    try Data(count: 600_000).write(to: ballast)
    var store = try WorkloadStore(url, WorkloadStore.options(journal: journal))
    var saved = 0
    var full: NSError?
    while full == nil, saved < 100 {
      let context = store.newContext()
      do {
        try context.performAndWait {
          context.insert("Item", ["place": saved, "payload": Data(repeating: 7, count: 90_000)])
          try context.save()
        }
        saved += 1
      } catch {
        full = error as NSError
      }
    }
    guard let full else { throw Lost("the disk was never full") }
    try Lost.unless(
      full.code == NSFileWriteOutOfSpaceError, "a full disk caused another error: \(full)")
    try require(saved, store)
    try FileManager.default.removeItem(at: ballast)
    let context = store.newContext()
    try context.performAndWait {
      context.insert("Item", ["place": saved])
      try context.save()
    }
    try require(saved + 1, store)
    try store.close()
    try PlainSQL(url).requireWhole()
    store = try WorkloadStore(url)
    try require(saved + 1, store)
    try store.close()
    Report.line("full-disk: \(saved) saves (\(journal)), error \(full.code), then saving continued")
  }

  /// - Parameter room: The number of free bytes: 0, too few even to open the store, or more, but
  ///   still too few for the migration.
  private static func migrate(_ folder: TemporaryFolder, _ manner: String, room: Int) throws {
    let url = folder.file("ledger.sqlite")
    let store = try WorkloadStore(url)
    let count = 6
    let context = store.newContext()
    try context.performAndWait {
      for place in 0..<count {
        context.insert("Item", ["place": place, "payload": Data(repeating: 7, count: 90_000)])
      }
      try context.save()
    }
    try store.close()
    let ballast = folder.file("ballast")
    var size = 0
    while size < 4_000_000 {
      do { try Data(count: size + 8192).write(to: ballast) } catch { break }
      size += 8192
    }
    try Lost.unless(size < 4_000_000, "the disk was never full")
    try Data(count: size - room).write(to: ballast)
    var full: NSError?
    do {
      if manner == "place" {
        try WorkloadStore(url, model: WorkloadModel.next).close()
      } else {
        try WorkloadMigration.copy(url, to: WorkloadModel.next, [:])
      }
    } catch { full = error as NSError }
    guard let full else { throw Lost("a migration needed no space") }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    try Lost.unless(
      !names.contains { $0.contains("migration") }, "a migration left files behind: \(names)")
    try FileManager.default.removeItem(at: ballast)
    try PlainSQL(url).requireWhole()
    let old = try WorkloadStore(url)
    try require(count, old)
    try old.close()
    try WorkloadMigration.copy(url, to: WorkloadModel.next, [:])
    let new = try WorkloadStore(url, model: WorkloadModel.next)
    try new.close()
    Report.line(
      "full-disk: a migration (\(manner), \(room) bytes), error \(full.code), then it succeeded")
  }

  private static func require(_ count: Int, _ store: WorkloadStore) throws {
    let context = store.newContext()
    let found = try context.performAndWait { try context.all("Item").count }
    try Lost.unless(found == count, "\(found) items, not \(count)")
  }
}
