import Testing

@testable import CoreData

/// Sources: the keys in NSPersistentStoreCoordinator.h, and sqlite.org/pragma.html.
@Suite("Options of a store")
struct StoreOptionTests {
  private func make() throws -> (TemporaryFolder, URL) {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      for number in 0..<300 {
        stack.context.insert("Player", ["name": String(repeating: "secret\(number)", count: 40)])
      }
      try stack.context.save()
      for player in try stack.context.all("Player") { stack.context.delete(player) }
      try stack.context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    return (folder, url)
  }

  private func open(_ url: URL, _ options: [AnyHashable: Any]) throws -> OpenStore {
    try OpenStore(url, SampleStack.makeModel(), options: options)
  }

  private func size(_ url: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }

  @Test("The vacuum option compacts a store when it is opened")
  func vacuum() throws {
    let (folder, url) = try make()
    try withExtendedLifetime(folder) {
      let before = try size(url)
      try open(url, [:]).close()
      #expect(try size(url) == before)
      try open(url, [NSSQLiteManualVacuumOption: true]).close()
      #expect(try size(url) < before / 2)
    }
  }

  @Test("The analyze option collects statistics when a store is opened")
  func analyze() throws {
    let (folder, url) = try make()
    try withExtendedLifetime(folder) {
      let query = "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'"
      try open(url, [:]).close()
      #expect(try PlainDatabase(url).values(query)[0][0].integer == 0)
      try open(url, [NSSQLiteAnalyzeOption: true]).close()
      #expect(try PlainDatabase(url).values(query)[0][0].integer == 1)
    }
  }

  @Test("The secure_delete pragma overwrites deleted data", arguments: ["TRUE", "FALSE"])
  func secureDelete(_ value: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let store = try open(
      url, [NSSQLitePragmasOption: ["secure_delete": value, "journal_mode": "DELETE"]])
    try store.context.performAndWait {
      store.context.insert("Team", ["name": "a secret name"])
      try store.context.save()
      for team in try store.context.all("Team") { store.context.delete(team) }
      try store.context.save()
    }
    try store.close()
    let bytes = try Data(contentsOf: url)
    #expect((bytes.range(of: Data("a secret name".utf8)) != nil) == (value == "FALSE"))
  }

  @Test("A store that is opened read-only is not written")
  func readOnly() throws {
    let (folder, url) = try make()
    try withExtendedLifetime(folder) {
      let before = try Data(contentsOf: url)
      let store = try open(url, [NSReadOnlyPersistentStoreOption: true])
      store.context.performAndWait {
        store.context.insert("Team", ["name": "Reds"])
        let error = failure { try store.context.save() }
        #expect(error?.domain == NSCocoaErrorDomain)
      }
      try store.close()
      #expect(try Data(contentsOf: url) == before)
    }
  }

  @Test("File protection, which this system does not support, does not prevent opening")
  func protection() throws {
    let (folder, url) = try make()
    withExtendedLifetime(folder) {
      #expect(throws: Never.self) {
        try open(url, [NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete"]).close()
      }
    }
  }

  #if os(Linux)
    private static let variable = "OPENCOREDATA_PROTECTION_OF"

    @Test(
      "Helper: another process opens a store with file protection",
      .enabled(if: OtherProcess.argument(StoreOptionTests.variable) != nil))
    func otherProcess() throws {
      let path = try #require(OtherProcess.argument(Self.variable))
      let options = [NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete"]
      try open(URL(fileURLWithPath: path), options).close()
    }

    @Test("File protection has no effect, and the log says so")
    func protectionIsLogged() throws {
      let (folder, url) = try make()
      try withExtendedLifetime(folder) {
        let log = try OtherProcess.run(
          "StoreOptionTests/otherProcess", setting: Self.variable, to: url.path)
        let line = "\(url.path): NSPersistentStoreFileProtectionKey has no effect on this system"
        #expect(log.split(separator: "\n").count { $0.contains(line) } == 1, "\(log)")
      }
    }
  #endif

  @Test(
    "The journal_mode pragma changes the mode of an existing store", arguments: ["DELETE", "WAL"])
  func journal(_ mode: String) throws {
    let (folder, url) = try make()
    try withExtendedLifetime(folder) {
      for mode in [mode, mode == "WAL" ? "DELETE" : "WAL", mode] {
        let store = try open(url, [NSSQLitePragmasOption: ["journal_mode": mode]])
        try store.context.performAndWait {
          store.context.insert("Team", ["name": "Reds"])
          try store.context.save()
        }
        try store.close()
        // "Database File Format", 1.3: the versions of the file format are 1 without a log, and 2
        // with one.
        let bytes = try Data(contentsOf: url)
        #expect(Array(bytes[18...19]) == (mode == "WAL" ? [2, 2] : [1, 1]), "\(mode)")
      }
      let store = try open(url, [:])
      let count = try store.context.performAndWait { try store.context.all("Team").count }
      #expect(count >= 3)
      try store.close()
    }
  }
}
