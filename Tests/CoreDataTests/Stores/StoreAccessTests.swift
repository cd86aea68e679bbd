import Foundation
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// How a store is opened, depending on the permissions of its file and folder. The tests pass the permissions, because
/// for tests that run as root every file is writable.
@Suite struct StoreAccessTests {
  private func access(
    readOnly: Bool, immutable: Bool = false, wal: Bool, walSize: Int = 0, sideFiles: Bool = false,
    used: Bool = true, file: Bool, folder: Bool
  ) -> StoreAccess {
    StoreAccess(
      path: "/photos/Store.sqlite", isReadOnly: readOnly, isImmutable: immutable, isWAL: wal,
      walSize: walSize, hasSideFiles: sideFiles, isInUse: used, canWriteFile: file,
      canWriteFolder: folder)
  }

  @Test("A WAL-mode store is read without side files if its file or folder is not writable")
  func cleanStore() throws {
    #expect(try access(readOnly: true, wal: true, file: false, folder: false).mode() == .immutable)
    #expect(try access(readOnly: true, wal: true, file: true, folder: false).mode() == .immutable)
    #expect(try access(readOnly: true, wal: true, file: false, folder: true).mode() == .immutable)
  }

  @Test("A WAL-mode store is read with side files only if another connection uses it")
  func unshared() throws {
    #expect(try access(readOnly: true, wal: true, file: true, folder: true).mode() == .immutable)
    #expect(
      try access(readOnly: true, wal: true, sideFiles: true, file: true, folder: true).mode()
        == .queryOnly)
    #expect(
      try access(
        readOnly: true, wal: true, walSize: 4152, sideFiles: true, used: false, file: true,
        folder: true
      ).mode() == .immutable)
  }

  @Test(
    "A log in a folder that is not writable is read, with its existing index if that is in use"
  )
  func logWithChanges() throws {
    for (used, mode) in [(false, SQLiteConnection.Mode.immutable), (true, .readOnly)] {
      #expect(
        try access(
          readOnly: true, wal: true, walSize: 4152, sideFiles: true, used: used, file: false,
          folder: false
        ).mode() == mode)
    }
  }

  @Test("A store read as evidence is never shared, even if it is in use")
  func immutable() throws {
    for wal in [false, true] {
      #expect(
        try access(
          readOnly: true, immutable: true, wal: wal, walSize: 4152, sideFiles: true, file: true,
          folder: true
        ).mode() == .immutable)
    }
  }

  /// The text consists of lines as in `/proc/locks` (see proc(5)).
  @Test("A lock on a store or on its log's index is found in the system's list of locks")
  func locks() {
    let text = """
      1: POSIX  ADVISORY  READ 1234 08:02:5767 128 128
      2: FLOCK  ADVISORY  WRITE 99 00:2f:57 0 EOF
      3: -> POSIX  ADVISORY  WRITE 1234 fd:01:9000 120 120
      """
    #expect(FileUse.isLocked(["5767"], in: text) && FileUse.isLocked(["1", "9000"], in: text))
    #expect(FileUse.isLocked(["57"], in: text))
    #expect(!FileUse.isLocked(["1234", "128", "2"], in: text) && !FileUse.isLocked([], in: text))
  }

  #if os(Linux)
    @Test("A lock is found although its process cannot be seen")
    func unknownProcess() throws {
      let folder = try TemporaryFolder()
      let path = folder.file("store.sqlite").path
      try Data("x".utf8).write(to: URL(fileURLWithPath: path))
      let (holder, reader) = (open(path, O_RDWR), open(path, O_RDONLY))
      defer { for descriptor in [holder, reader] { close(descriptor) } }
      #expect(!FileUse.isLocked(reader))
      // Like the lock of a process in another container, a lock of an open file description has no process. The number
      // is that of F_OFD_SETLK (fcntl(2)), which the C library's module lacks.
      var lock = flock()
      lock.l_type = Int16(F_RDLCK)
      (lock.l_start, lock.l_len) = (0x4000_0002, 510)
      let isSet = fcntl(holder, 37, &lock) == 0
      try #require(isSet)
      #expect(FileUse.isLocked(reader))
    }

    @Test("A file that this process has open counts as locked, and is not opened for the test")
    func ownFile() throws {
      let folder = try TemporaryFolder()
      let paths = ["store.sqlite", "store.sqlite-shm", "missing"].map { folder.file($0).path }
      for path in paths.prefix(2) { try Data("x".utf8).write(to: URL(fileURLWithPath: path)) }
      #expect(!FileUse.isLockedElsewhere(paths))
      let own = try FileHandle(forUpdating: URL(fileURLWithPath: paths[1]))
      #expect(FileUse.isLockedElsewhere(paths))
      try own.close()
      #expect(!FileUse.isLockedElsewhere(paths))
      // 0o10000000 is O_PATH (open(2)): the descriptor does not open the file.
      let reference = open(paths[0], 0o10000000)
      defer { close(reference) }
      try #require(reference >= 0)
      #expect(!FileUse.isLockedElsewhere(paths))
    }

    @Test(
      "If a pipe or an open file replaces the store during the test, it is not opened",
      .timeLimit(.minutes(60)))
    func replacedFile() throws {
      let folder = try TemporaryFolder()
      let paths = ["plain", "pipe", "open"].map { folder.file($0).path }
      for path in [paths[0], paths[2]] { try Data("x".utf8).write(to: URL(fileURLWithPath: path)) }
      let isMade = mkfifo(paths[1], 0o600) == 0
      try #require(isMade)
      let (holder, reader) = (open(paths[2], O_RDWR), open(paths[2], O_RDONLY))
      defer { for descriptor in [holder, reader] { close(descriptor) } }
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      let isSet = fcntl(holder, F_SETLK, &lock) == 0
      try #require(isSet)
      let (store, draft) = (folder.file("store.sqlite").path, folder.file("draft").path)
      let end = folder.file("end").path
      DispatchQueue.concurrentPerform(iterations: 2) { part in
        if part == 0 {
          for _ in 0..<1_000 { _ = FileUse.isLockedElsewhere([store]) }
          _ = mkdir(end, 0o700)
        } else {
          // The number of steps is limited, in case both parts run in one thread.
          for step in 0..<300_000 {
            if rmdir(end) == 0 { break }
            if symlink(paths[step % 3], draft) == 0 { rename(draft, store) }
          }
        }
      }
      // Opening and closing the file would have released the lock. A lock of an open file description conflicts with
      // the lock of this process. The number is that of F_OFD_GETLK (fcntl(2)).
      var found = flock()
      found.l_type = Int16(F_RDLCK)
      let isFound = fcntl(reader, 36, &found) == 0
      #expect(isFound && found.l_type == Int16(F_WRLCK))
    }

    @Test(
      "A log that no connection uses is read although its index is unreadable",
      .enabled(
        if: OrdinaryUser.isAvailable, "root reads every file, and no other user is available"))
    func unreadableIndex() throws {
      let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
      let writer = try OpenStore(other.file("store.sqlite"), SampleStore.model())
      try writer.context.performAndWait {
        writer.context.insert("Club", ["name": "Harbour"])
        try writer.context.save()
      }
      let url = folder.file("store.sqlite")
      for suffix in ["", "-wal", "-shm"] {
        try Data(contentsOf: URL(fileURLWithPath: other.file("store.sqlite").path + suffix))
          .write(to: URL(fileURLWithPath: url.path + suffix))
      }
      try writer.close()
      try OrdinaryUser.own(folder.url)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o000], ofItemAtPath: url.path + "-shm")
      let count = try OrdinaryUser.run {
        try SQLiteStore.withReadConnection(to: url) {
          try $0.integer("SELECT COUNT(*) FROM ZCLUB")
        }
      }
      #expect(count == 1)
    }
  #endif

  @Test("A store that is not writable cannot be opened for writing")
  func writing() throws {
    for (file, folder) in [(false, false), (false, true), (true, false)] {
      for wal in [false, true] {
        let error = #expect(throws: NSError.self) {
          try access(readOnly: false, wal: wal, file: file, folder: folder).mode()
        }
        #expect(error?.code == NSFileWriteNoPermissionError)
        #expect(error?.localizedDescription.contains("/photos/Store.sqlite") == true)
      }
    }
    #expect(try access(readOnly: false, wal: true, file: true, folder: true).mode() == .readWrite)
  }

  @Test("A store in rollback-journal mode without side files is opened read-only")
  func rollbackJournal() throws {
    #expect(try access(readOnly: true, wal: false, file: true, folder: true).mode() == .readOnly)
    #expect(try access(readOnly: true, wal: false, file: false, folder: false).mode() == .readOnly)
  }
}
