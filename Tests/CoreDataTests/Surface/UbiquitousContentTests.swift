import CoreData
import Testing

/// Provides access to deprecated names without a warning.
private protocol CloudNames {
  func names() -> [String]
  func transitions() -> [UInt]
  func remove(at url: URL) throws
}

private struct OldCloudNames: CloudNames {
  @available(*, deprecated)
  func names() -> [String] {
    [
      NSPersistentStoreUbiquitousContentNameKey, NSPersistentStoreUbiquitousContentURLKey,
      NSPersistentStoreUbiquitousPeerTokenOption, NSPersistentStoreRemoveUbiquitousMetadataOption,
      NSPersistentStoreUbiquitousContainerIdentifierKey,
      NSPersistentStoreRebuildFromUbiquitousContentOption,
      NSPersistentStoreUbiquitousTransitionTypeKey,
      NSNotification.Name.NSPersistentStoreDidImportUbiquitousContentChanges.rawValue,
    ]
  }

  @available(*, deprecated)
  func transitions() -> [UInt] {
    let all: [NSPersistentStoreUbiquitousTransitionType] = [
      .accountAdded, .accountRemoved, .contentRemoved, .initialImportCompleted,
    ]
    return all.map(\.rawValue)
  }

  @available(*, deprecated)
  func remove(at url: URL) throws {
    try NSPersistentStoreCoordinator.removeUbiquitousContentAndPersistentStore(at: url)
  }
}

/// Sources: Apple's pages for these names.
@Suite("Deprecated names of iCloud stores")
struct UbiquitousContentTests {
  private let old: any CloudNames = OldCloudNames()

  @Test("The names exist, and a store opens with all of them as options")
  func names() throws {
    #expect(Set(old.names()).count == 8)
    #expect(old.transitions() == [1, 2, 3, 4])
    let options = Dictionary(uniqueKeysWithValues: old.names().map { ($0, "x") })
    let (_, context) = try TestedStore.memorySQLite.open(
      SampleStack.makeModel(), at: TestedStore.newNamedURL(), options: options)
    #expect(try context.performAndWait { try context.all("Team").count } == 0)
  }

  @Test("Removing a store and its iCloud content destroys the store")
  func removing() throws {
    let folder = try TemporaryFolder()
    let url = TestedStore.sqlite.url(in: folder)
    let model = SampleStack.makeModel()
    let (_, context) = try TestedStore.sqlite.open(model, at: url)
    try context.performAndWait {
      context.insert("Team", ["name": "Reds"])
      try context.save()
    }
    try old.remove(at: url)
    let (_, anew) = try TestedStore.sqlite.open(model, at: url)
    #expect(try anew.performAndWait { try anew.all("Team").count } == 0)
  }
}
