import CoreData
import Testing

/// Records the notifications of a coordinator and its stores.
private final class StoreLog: @unchecked Sendable {
  private(set) var lines: [String] = []
  private var tokens: [any NSObjectProtocol] = []
  private var names: [ObjectIdentifier: String] = [:]
  private let coordinator: NSPersistentStoreCoordinator

  init(_ coordinator: NSPersistentStoreCoordinator) {
    self.coordinator = coordinator
    let center = NotificationCenter.default
    tokens.append(
      center.addObserver(
        forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
      ) { [weak self] note in
        guard let self else { return }
        let info = note.userInfo ?? [:]
        for (key, word) in [
          (NSAddedPersistentStoresKey, "added"), (NSRemovedPersistentStoresKey, "removed"),
          (NSUUIDChangedPersistentStoresKey, "changed"),
        ] {
          guard let list = info[key] as? [Any] else { continue }
          let stores = list.compactMap { $0 as? NSPersistentStore }.map(name)
          lines.append("didChange \(word) \(stores.joined(separator: " "))")
        }
      })
    tokens.append(
      center.addObserver(
        forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: nil, queue: nil
      ) { [weak self] note in
        guard let self, let store = note.object as? NSPersistentStore,
          store.persistentStoreCoordinator === self.coordinator
        else { return }
        lines.append("willRemove \(name(store))")
      })
  }

  private func name(_ store: NSPersistentStore) -> String {
    let known = names[ObjectIdentifier(store)] ?? "store\(names.count + 1)"
    names[ObjectIdentifier(store)] = known
    return known
  }

  deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}

@Suite struct StoreNotificationTests {
  @Test("Adding and removing a store posts notifications with the store")
  func addingAndRemoving() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    let log = StoreLog(coordinator)
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    #expect(log.lines == ["didChange added store1"])
    #expect(store.persistentStoreCoordinator === coordinator)
    try coordinator.remove(store)
    // Source: tests of CoreDataPlus. The object of WillRemoveStore is the store.
    #expect(log.lines.dropFirst() == ["willRemove store1", "didChange removed store1"])
    #expect(coordinator.persistentStores.isEmpty)
    #expect(throws: NSError.self) { try coordinator.remove(store) }
  }

  @Test("Migrating a store posts the six notifications of Apple's Core Data, in the same order")
  func migratingPostsApplesSequence() throws {
    let folder = try TemporaryFolder()
    let (store, context) = try TestedStore.sqlite.open(
      SampleStack.makeModel(), at: folder.file("old.sqlite"))
    let coordinator = try #require(context.persistentStoreCoordinator)
    let log = StoreLog(coordinator)
    let new = try coordinator.migratePersistentStore(
      store, to: folder.file("new.sqlite"), type: .sqlite)
    // Source: tests of CoreDataPlus, which run on Apple's platforms.
    #expect(
      log.lines == [
        "didChange added store1", "willRemove store2", "willRemove store1",
        "didChange changed store2 store1", "willRemove store2", "didChange removed store2",
      ])
    #expect(coordinator.persistentStores == [new])
  }

  /// Source: CoreDataPlus reads the third element for all kinds of store.
  @Test("The notification of a changed UUID has the old store, the new one and a list of IDs")
  func uuidChanged() throws {
    try onEveryStore(TestedStore.allCases.filter(\.isFile)) { kind, folder in
      let (store, context) = try kind.open(SampleStack.makeModel(), at: kind.url(in: folder))
      try context.performAndWait {
        context.insert("Team")
        try context.save()
      }
      let coordinator = try #require(context.persistentStoreCoordinator)
      let recorder = Recorder(.NSPersistentStoreCoordinatorStoresDidChange, of: coordinator)
      let new = try coordinator.migratePersistentStore(
        store, to: kind.url(in: folder, "new"), type: .init(rawValue: kind.type))
      let changes = recorder.notifications.compactMap {
        $0.userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any]
      }
      #expect(changes.count == 1)
      let change = try #require(changes.first)
      #expect(change.count == 3)
      #expect(change[0] as? NSPersistentStore === store)
      #expect(change[1] as? NSPersistentStore === new)
      // Apple's page "NSUUIDChangedPersistentStoresKey": old ID, new ID, old ID, and so on.
      let ids = try #require(change[2] as? [NSManagedObjectID])
      #expect(ids.isEmpty || ids.count == 2)
      if ids.count == 2 { #expect(ids[0] != ids[1] && ids[1].persistentStore === new) }
    }
  }
}
