import CoreData

/// Counts the rows of each entity in the background, because counting a large table takes time.
actor EntityCounts {
  /// The minimum pause between two counts of a store that is written continuously.
  private static let pause = Duration.milliseconds(200)
  /// Counting takes at most `1 / share` of the time.
  private static let share = 5

  private let coordinator: NSPersistentStoreCoordinator
  private let entities: [String]
  private(set) var cached: [String: Int] = [:]
  /// Whether all entities have been counted once.
  private var isCounted = false
  private var counting: Task<Void, Never>?
  private var listening: Task<Void, Never>?
  private var isStale = true
  private var isClosed = false
  /// Sends new counts.
  private let broadcast: Broadcast

  init(_ coordinator: NSPersistentStoreCoordinator, _ broadcast: Broadcast) {
    self.coordinator = coordinator
    self.broadcast = broadcast
    entities = coordinator.managedObjectModel.entities.compactMap(\.name).sorted()
  }

  /// Counts again; calls during a count cause only one more. The first call also starts observing writes to the
  /// store, which cause counts in the same way.
  func refresh() {
    guard !isClosed else { return }
    isStale = true
    listen()
    guard counting == nil else { return }
    counting = Task {
      while isStale, !isClosed {
        // Reset this before counting, so that a write during the count causes another count.
        isStale = false
        let start = ContinuousClock.now
        await count()
        let rest = max(Self.pause, (ContinuousClock.now - start) * (Self.share - 1))
        guard (try? await Task.sleep(for: rest)) != nil else { break }
      }
      counting = nil
    }
  }

  private func listen() {
    guard listening == nil else { return }
    let changes = NotificationCenter.default.notifications(
      named: .NSPersistentStoreRemoteChange, object: coordinator)
    listening = Task { [weak self] in
      for await _ in changes { await self?.refresh() }
    }
  }

  /// Returns the known counts, after waiting a limited time for the first count.
  func counts(within limit: Duration) async -> [String: Int] {
    let end = ContinuousClock.now + limit
    while !isCounted, ContinuousClock.now < end {
      do { try await Task.sleep(for: .milliseconds(2)) } catch { break }
    }
    return cached
  }

  func close() {
    isClosed = true
    listening?.cancel()
    counting?.cancel()
  }

  private func count() async {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    var changed: [String: Int] = [:]
    for entity in entities {
      // An entity that cannot be counted has no number; its table shows the error.
      let count = try? await context.perform {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
      }
      guard let count, cached[entity] != count else { continue }
      cached[entity] = count
      changed[entity] = count
    }
    isCounted = true
    guard !changed.isEmpty, let event = try? EventText.event("counts", changed) else { return }
    broadcast.send(event)
  }
}
