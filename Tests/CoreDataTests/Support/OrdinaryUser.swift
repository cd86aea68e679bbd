import Foundation
import Testing

/// A user without privileges. The system checks file permissions for this user, but not for root. On Linux, a single
/// thread of root's process can access files as this user (setfsuid(2)).
enum OrdinaryUser {
  private typealias SetUser = @convention(c) (UInt32) -> Int32
  private static let unprivilegedUser: UInt32 = 65_534

  private static var setUser: SetUser? {
    dlsym(nil, "setfsuid").map { unsafeBitCast($0, to: SetUser.self) }
  }

  /// Whether such a user is available and can access the temporary folder.
  static var isAvailable: Bool {
    if geteuid() != 0 { return true }
    if setUser == nil { return false }
    let probe = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let isMade = FileManager.default.createFile(
      atPath: probe.path, contents: Data(), attributes: [.posixPermissions: 0o644])
    defer { try? FileManager.default.removeItem(at: probe) }
    let file = run { open(probe.path, O_RDONLY) }
    if file >= 0 { close(file) }
    return isMade && file >= 0
  }

  /// Makes the unprivileged user the owner of a folder and everything in it.
  static func own(_ folder: URL) throws {
    if geteuid() != 0 { return }
    for name in [""] + (try FileManager.default.subpathsOfDirectory(atPath: folder.path)) {
      #expect(
        lchown(folder.appendingPathComponent(name).path, unprivilegedUser, unprivilegedUser) == 0)
    }
  }

  /// Runs `body` as the user. Only the current thread acts as the user, so `body` must not use another one.
  static func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard geteuid() == 0, let setUser else { return try body() }
    _ = setUser(unprivilegedUser)
    defer { _ = setUser(0) }
    return try body()
  }
}
