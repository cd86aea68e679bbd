import Foundation
import Testing

@testable import CoreData

/// What is done where the file system forbids something; tests that run as root cannot meet it.
@Suite struct StoreAccessTests {
  private func access(
    readOnly: Bool, wal: Bool, walSize: Int = 0, sideFiles: Bool = false, file: Bool, folder: Bool
  ) -> StoreAccess {
    StoreAccess(
      path: "/photos/Store.sqlite", isReadOnly: readOnly, isWAL: wal, walSize: walSize,
      hasSideFiles: sideFiles, canWriteFile: file, canWriteFolder: folder)
  }

  @Test("A WAL-mode store in a folder that may not be written is read without side files")
  func cleanStore() throws {
    #expect(try access(readOnly: true, wal: true, file: false, folder: false).mode() == .immutable)
    #expect(try access(readOnly: true, wal: true, file: true, folder: false).mode() == .immutable)
    #expect(try access(readOnly: true, wal: true, file: false, folder: true).mode() == .immutable)
  }

  @Test("A WAL-mode store that nobody has open is read without side files, another with them")
  func unshared() throws {
    #expect(try access(readOnly: true, wal: true, file: true, folder: true).mode() == .immutable)
    #expect(
      try access(readOnly: true, wal: true, sideFiles: true, file: true, folder: true).mode()
        == .queryOnly)
  }

  @Test("A write-ahead log with changes in a folder that may not be written is not passed over")
  func logWithChanges() throws {
    let error = #expect(throws: NSError.self) {
      try access(readOnly: true, wal: true, walSize: 4152, file: false, folder: false).mode()
    }
    #expect(error?.localizedDescription.contains("write-ahead log") == true)
    #expect(error?.localizedDescription.contains("/photos/Store.sqlite") == true)
  }

  @Test("A store that may not be written is not opened for writing")
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

  @Test("A store with a rollback journal is read with nothing beside it")
  func rollbackJournal() throws {
    #expect(try access(readOnly: true, wal: false, file: true, folder: true).mode() == .readOnly)
    #expect(try access(readOnly: true, wal: false, file: false, folder: false).mode() == .readOnly)
  }
}
