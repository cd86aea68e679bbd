import CoreData
import StoreInspection
import Synchronization

/// Notifies subscribers that other changes are pending, and of the objects that changed: pages then read again what is
/// beside a table, and what tables show of other entities' rows.
///
/// Changes that follow closely are sent together: with many subscribers, sending is what a change costs.
final class GatheredNews: Sendable {
  /// More objects than these are not named.
  private static let named = 100
  /// How long changes are gathered.
  private static let pause = Duration.milliseconds(200)

  /// What is sent of objects.
  private struct Objects: Encodable {
    /// The names of objects by entity.
    var objects: [String: Set<String>] = [:]
    /// Whether there are others that are not named.
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

  /// - Parameter context: follows what is saved elsewhere.
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

  /// Has pages ask what is pending.
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

  /// A store without a history does not say what another process wrote: nothing reports rows that are not in use here.
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
      // What others saved is merged before a page reads it.
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
