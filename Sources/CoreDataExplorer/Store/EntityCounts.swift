import CoreData
import Foundation

/// How many rows each entity has: counted beside everything else, for a large table takes its time.
actor EntityCounts {
  private let coordinator: NSPersistentStoreCoordinator
  private let entities: [String]
  private(set) var known: [String: Int] = [:]
  private var counting: Task<Void, Never>?
  private var isStale = true
  /// Told which counts are new.
  private let broadcast: Broadcast

  init(_ coordinator: NSPersistentStoreCoordinator, _ broadcast: Broadcast) {
    self.coordinator = coordinator
    self.broadcast = broadcast
    entities = coordinator.managedObjectModel.entities.compactMap(\.name).sorted()
  }

  /// Counts anew, once however often it is asked for while it is being done.
  func refresh() {
    isStale = true
    guard counting == nil else { return }
    counting = Task {
      while isStale {
        isStale = false
        await count()
      }
      counting = nil
    }
  }

  /// What is known after some time at the most.
  func known(within limit: Duration) async -> [String: Int] {
    let end = ContinuousClock.now + limit
    while known.count < entities.count, ContinuousClock.now < end {
      do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
    }
    return known
  }

  private func count() async {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    var changed: [String: Int] = [:]
    for entity in entities {
      // An entity that cannot be counted has no number; its table tells why.
      let count = try? await context.perform {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
      }
      guard let count, known[entity] != count else { continue }
      known[entity] = count
      changed[entity] = count
    }
    guard !changed.isEmpty, let event = try? EventText.event("counts", changed) else { return }
    broadcast.send(event)
  }
}
