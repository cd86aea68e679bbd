import FixtureSupport
import Foundation
import StoreEngine
import Testing

@Suite(
  .enabled(
    if: geteuid() == 0 && OrdinaryUser.isAvailable,
    "only root can assign a group to the store that its user does not belong to"))
struct FileRightsTests {
  private static let foreignGroup: gid_t = 54_321

  private func permissions(_ url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  @Test(arguments: [
    (foreignGroup, 0o660, 0o600), (foreignGroup, 0o664, 0o644), (foreignGroup, 0o646, 0o646),
    (getegid(), 0o660, 0o660), (getegid(), 0o640, 0o640),
  ])
  func `The permissions of the store's group never apply to another group`(
    group: gid_t, mode: Int, expected: Int
  ) throws {
    let folder = try TemporaryFolder()
    try OrdinaryUser.own(folder.url)
    let (store, file, copy) = (folder.file("store"), folder.file("value"), folder.file("copy"))
    try Data().write(to: store)
    try #require(chown(store.path, geteuid(), group) == 0)
    try #require(chmod(store.path, mode_t(mode)) == 0)
    let rights = try #require(FileRights(ofFile: store.path))
    try OrdinaryUser.run {
      let opened = open(file.path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
      try #require(opened >= 0)
      rights.apply(to: opened, file.path)
      close(opened)
      try rights.makeCopy(copy.path)
    }
    #expect(try permissions(file) == expected)
    let made = try #require(try permissions(copy))
    // The umask may restrict the permissions further.
    #expect(made & ~expected == 0 && made & 0o600 == 0o600)
    #expect(made & 0o070 == expected & 0o070 || group == Self.foreignGroup)
  }
}
