import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct StoreProtectionTests {
  @Test func `A path inside a photo library is recognized, even through a link`() throws {
    #expect(
      StoreProtection.photoLibrary(containing: "/Users/a/My.photoslibrary/database/Photos.sqlite")
        == "My.photoslibrary")
    #expect(StoreProtection.photoLibrary(containing: "/x/A.PhotosLibrary/p") == "A.PhotosLibrary")
    #expect(StoreProtection.photoLibrary(containing: "/Users/a/photoslibrary/p.sqlite") == nil)

    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let library = folder.appendingPathComponent("B.photoslibrary")
    try FileManager.default.createDirectory(at: library, withIntermediateDirectories: false)
    let link = folder.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: library)
    #expect(
      StoreProtection.photoLibrary(containing: link.path + "/Photos.sqlite") == "B.photoslibrary")
  }

  @Test func `The processes that hold or await a file's locks are read from the kernel's list`() {
    let locks = """
      1: POSIX  ADVISORY  READ  4711 08:02:5767 128 128
      2: POSIX  ADVISORY  WRITE 99 08:02:1 0 EOF
      2: -> POSIX  ADVISORY  WRITE 100 08:02:5767 0 EOF
      3: OFDLCK ADVISORY  READ  -1 08:02:5767 0 EOF
      4: FLOCK  ADVISORY  WRITE 4712 103:02:5767 0 EOF
      """
    let file = FileIdentity(device: 0x0802, inode: 5767)
    #expect(file.lockName == "08:02:5767")
    #expect(StoreUsers.lockHolders(in: locks, of: [file]) == [4711, 100])
    #expect(FileIdentity(device: 0x10302, inode: 5767).lockName == "103:02:5767")
  }

  #if os(Linux)
    @Test func `A store that another process has open is protected, and a closed store is not`()
      throws
    {
      let folder = try temporaryFolder()
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appendingPathComponent("Open Store.sqlite").path
      try Data("x".utf8).write(to: URL(fileURLWithPath: path))
      #expect(StoreProtection.reasonsAgainstWriting(to: path) == [])

      // A process that keeps the file open until its standard input ends.
      let holder = Process()
      holder.executableURL = URL(fileURLWithPath: "/bin/sh")
      holder.arguments = ["-c", "exec 3<\"$0\"; echo ready; read line", path]
      let (input, output) = (Pipe(), Pipe())
      holder.standardInput = input
      holder.standardOutput = output
      try holder.run()
      _ = try output.fileHandleForReading.read(upToCount: 1)
      let users = StoreUsers.processes(using: path)
      #expect(users.map(\.identifier) == [Int(holder.processIdentifier)])
      #expect(
        StoreProtection.reasonsAgainstWriting(to: path).first?
          .hasSuffix("(process \(holder.processIdentifier)).") == true)
      try input.fileHandleForWriting.close()
      holder.waitUntilExit()
      #expect(StoreProtection.reasonsAgainstWriting(to: path) == [])
    }
  #endif

  @Test func `A file that does not exist has no users`() {
    #expect(StoreUsers.processes(using: "/no/such/file.sqlite") == [])
  }

  private func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
