import Testing

@testable import CoreData

/// A store with rows of all entities and kinds of relationships of `SampleStack`, which a test damages and verifies.
struct DamageableStore {
  let folder: TemporaryFolder
  let url: URL

  /// Saves two teams with two trophies each, two players of the first team, their tags, and a
  /// locker.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      let context = stack.context
      let tags = ["a", "b"].map { context.insert("Tag", ["label": $0]) }
      let locker = context.insert("Locker", ["number": 1])
      for name in ["Reds", "Blues"] {
        let team = context.insert("Team", ["name": name])
        team["trophies"] = NSOrderedSet(
          array: ["cup", "bowl"].map { context.insert("Trophy", ["title": $0]) })
      }
      let team = try #require(try context.all("Team").first)
      let ann = context.insert("Player", ["name": "Ann", "team": team, "locker": locker])
      let bob = context.insert("Captain", ["name": "Bob", "team": team])
      ann["tags"] = NSSet(array: tags)
      bob["tags"] = NSSet(array: tags)
      try context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
  }

  func verify(repairing: Bool = false) throws -> StoreVerification {
    try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: repairing)
  }
}
