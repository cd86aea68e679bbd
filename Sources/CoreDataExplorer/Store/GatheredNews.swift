import CoreData
import StoreInspection
import Synchronization

/// Notifies subscribers that pending changes or objects have changed. Pages then read again what they show beside a
/// table, and the values in a table that come from rows of other entities.
///
/// Changes in quick succession are sent together, because with many subscribers, sending is most of a change's cost.
final class GatheredNews: Sendable {
  /// The maximum number of objects that are listed.
  private static let named = 100
  /// How long changes are collected before they are sent.
  private static let pause = Duration.milliseconds(200)

  /// The changed objects that are sent.
  private struct Objects: Encodable {
    /// The names of objects by entity.
    var objects: [String: Set<String>] = [:]
    /// Whether there may be more objects than those listed.
    var many = false
  }

  private struct State {
    var objects = Objects()
    var count = 0
    var isEdited = false
    var isGathering = false
  }

  private let context: NSManagedObjectContext
  private let news: Broadcast
  private let state = Mutex(State())
  private let observers = Mutex<[Observer]>([])

  private struct Observer: @unchecked Sendable { let token: any NSObjectProtocol }

  /// - Parameter context: The context that merges changes by other processes.
  init(_ context: NSManagedObjectContext, _ news: Broadcast) {
    self.context = context
    self.news = news
  }

  func begin() {
    let center = NotificationCenter.default
    let tokens = [
      center.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { [weak self] in self?.note($0.userInfo, Self.changeKeys) },
      center.addObserver(
        forName: .NSManagedObjectContextDidMergeChangesObjectIDs, object: context, queue: nil
      ) { [weak self] in self?.note($0.userInfo, Self.mergeKeys) },
      center.addObserver(
        forName: .NSPersistentStoreRemoteChange, object: context.persistentStoreCoordinator,
        queue: nil
      ) { [weak self] _ in self?.noteUnnamed() },
    ]
    observers.withLock { $0 = tokens.map { Observer(token: $0) } }
  }

  func end() {
    for observer in observers.withLock({ $0 }) {
      NotificationCenter.default.removeObserver(observer.token)
    }
  }

  private static let changeKeys = [
    NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
  ]
  private static let mergeKeys = [
    NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey,
  ]

  /// Notifies pages that they should read the pending changes.
  func noteEdit() {
    if news.count > 0 { gather { $0.isEdited = true } }
  }

  private func note(_ info: [AnyHashable: Any]?, _ keys: [String]) {
    guard news.count > 0, let info else { return }
    let ids = keys.flatMap { key -> [NSManagedObjectID] in
      switch info[key] {
      case let objects as Set<NSManagedObject>: objects.map(\.objectID)
      case let ids as Set<NSManagedObjectID>: Array(ids)
      default: []
      }
    }
    if ids.isEmpty { return }
    gather { state in
      for id in ids where state.count < Self.named {
        let isNew = state.objects.objects[id.entityName, default: []]
          .insert(ObjectReference.text(ofKey: id.primaryKey)).inserted
        if isNew { state.count += 1 }
      }
      if state.count >= Self.named { state.objects.many = true }
    }
  }

  /// Records that unknown objects changed: without a history, a store does not report which rows another process wrote.
  private func noteUnnamed() {
    guard news.count > 0,
      context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil) == nil
    else { return }
    gather { $0.objects.many = true }
  }

  private func gather(_ add: (inout State) -> Void) {
    let begins = state.withLock { state in
      add(&state)
      defer { state.isGathering = true }
      return !state.isGathering
    }
    guard begins else { return }
    Task {
      try? await Task.sleep(for: Self.pause)
      // Wait until the changes by other processes are merged, because pages read them next.
      await context.perform {}
      let gathered = state.withLock { state in
        defer { state = State() }
        return state
      }
      news.send(Self.events(gathered))
    }
  }

  private static func events(_ state: State) -> Data {
    var events = Data()
    if state.isEdited { events += EventText.event("edit") }
    if state.count > 0 || state.objects.many,
      let objects = try? EventText.event("objects", state.objects)
    {
      events += objects
    }
    return events
  }
}
