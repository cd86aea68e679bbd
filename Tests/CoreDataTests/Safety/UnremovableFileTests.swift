import FixtureSupport
import Foundation
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Value files that no row refers to, and that a repair cannot remove.
@Suite("Unused files that cannot be removed")
struct UnremovableFileTests {
  private let folder: TemporaryFolder
  private let url: URL
  private let files: URL
  private let name = "01234567-89AB-CDEF-0123-456789ABCDEF"

  /// Makes a store whose folder of value files has an old file that no row refers to.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    files = ExternalStorage(store: url).folder
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      store.context.insert("Player", ["name": "Ann"])
      try store.context.save()
    }
    try store.close()
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    let file = files.appendingPathComponent(name)
    try Data("waste".utf8).write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -1e6)], ofItemAtPath: file.path)
  }

  @Test func `Discarding files returns those that could not be removed`() throws {
    let other = UUID().uuidString
    try FileManager.default.createDirectory(
      at: files.appendingPathComponent(other), withIntermediateDirectories: true)
    #expect(ExternalUse.of(url).discard([name, other]) == [other])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: files.path) == [other])
    let use = ExternalUse.of(url)
    use.pin()
    // A discarded file that is in use is removed later.
    #expect(use.discard([other]) == [])
    use.unpin()
  }

  @Test(
    .enabled(
      if: OrdinaryUser.isAvailable,
      "root can remove every file, and no other user is available here"))
  func `A repair does not report a file as removed if it cannot remove it`() throws {
    let manager = FileManager.default
    try OrdinaryUser.own(folder.url)
    try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: files.path)
    defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: files.path) }
    let url = url
    let result = try OrdinaryUser.run {
      try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true)
    }
    #expect(manager.fileExists(atPath: files.appendingPathComponent(name).path))
    #expect(!result.isIntact)
    #expect(result.findings.map(\.kind) == [.unusedFile])
    #expect(result.findings.map(\.isRepaired) == [false])
    #expect(
      result.findings.first?.message.hasSuffix("; 1 of them cannot be removed") == true,
      "\(result.findings)")
    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: files.path)
    let again = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true)
    #expect(again.isIntact && again.findings.map(\.isRepaired) == [true])
  }
}
