import CoreData

/// The numbers of objects in contexts, as far as they are known without a long wait.
///
/// Objects can be counted only on their context's queue. As long as a slow query occupies it, the context's last figures
/// count.
actor ObjectFigures {
  struct Figures {
    var objects = 0
    var faults = 0
    var unsaved = 0

    init() {}

    /// Counts the objects of a context. Call it on the context's queue.
    init(of context: NSManagedObjectContext) {
      let registered = context.registeredObjects
      objects = registered.count
      faults = registered.count { $0.isFault }
      unsaved =
        context.insertedObjects.count + context.updatedObjects.count + context.deletedObjects.count
    }
  }

  private var known: [ObjectIdentifier: Figures] = [:]
  /// The contexts whose count has begun and not ended.
  private var counting: Set<ObjectIdentifier> = []

  /// Returns the sums for some contexts, after waiting a limited time for their counts.
  func sums(for contexts: Set<NSManagedObjectContext>, within limit: Duration) async -> Figures {
    let ids = Set(contexts.map { ObjectIdentifier($0) })
    known = known.filter { ids.contains($0.key) }
    for context in contexts where counting.insert(ObjectIdentifier(context)).inserted {
      Task { await count(context) }
    }
    let end = ContinuousClock.now + limit
    while !counting.isDisjoint(with: ids), ContinuousClock.now < end {
      do { try await Task.sleep(for: .milliseconds(2)) } catch { break }
    }
    return known.values.reduce(into: Figures()) { sums, figures in
      sums.objects += figures.objects
      sums.faults += figures.faults
      sums.unsaved += figures.unsaved
    }
  }

  private func count(_ context: NSManagedObjectContext) async {
    known[ObjectIdentifier(context)] = await context.perform { Figures(of: context) }
    counting.remove(ObjectIdentifier(context))
  }
}
