import CoreData
import Testing

/// Two contexts of one store. `here` saves after `there`. Both are confined to the test's thread and have no queue.
struct TwoWriters {
  enum Arrangement: String, CaseIterable {
    case contexts = "two contexts of one coordinator"
    case coordinators = "two coordinators of one file"
    case memory = "two coordinators of one store in memory"
  }

  let here: NSManagedObjectContext
  let there: NSManagedObjectContext
  /// Keeps the files until the test ends.
  private let folder: TemporaryFolder

  init(
    _ arrangement: Arrangement = .contexts, _ kind: TestedStore = .sqlite,
    model: NSManagedObjectModel = SampleStack.makeModel(),
    policy: NSMergePolicy = NSMergePolicy.error
  ) throws {
    folder = try TemporaryFolder()
    let isInMemory = arrangement == .memory
    let kind = isInMemory ? .memorySQLite : kind
    let url = isInMemory ? TestedStore.newNamedURL() : kind.url(in: folder)
    here = .confined(to: try kind.open(model, at: url).context.persistentStoreCoordinator)
    switch arrangement {
    case .contexts: there = .confined(to: here.persistentStoreCoordinator)
    case .coordinators, .memory:
      there = .confined(to: try kind.open(model, at: url).context.persistentStoreCoordinator)
    }
    here.mergePolicy = policy
  }

  /// Returns a context that has read nothing yet and lives as long as the writers.
  func reader() -> NSManagedObjectContext {
    let context = NSManagedObjectContext.confined(to: here.persistentStoreCoordinator)
    context.retainsRegisteredObjects = true
    kept.contexts.append(context)
    return context
  }

  /// Returns the object of the same row in `there`.
  func twin(_ object: NSManagedObject) throws -> NSManagedObject {
    try there.existingObject(with: try own(object.objectID, in: there))
  }

  /// Returns the object of the same row in a new context, or nil if the row does not exist.
  func stored(_ object: NSManagedObject) -> NSManagedObject? {
    do { return try reader().existingObject(with: object.objectID) } catch {
      let error = error as NSError
      #expect(error.domain == NSCocoaErrorDomain, "\(error)")
      #expect(error.code == NSManagedObjectReferentialIntegrityError, "\(error)")
      return nil
    }
  }

  private func own(
    _ id: NSManagedObjectID, in context: NSManagedObjectContext
  ) throws -> NSManagedObjectID {
    try #require(
      context.persistentStoreCoordinator?.managedObjectID(
        forURIRepresentation: id.uriRepresentation()))
  }

  private final class Kept { var contexts: [NSManagedObjectContext] = [] }
  private let kept = Kept()
}

extension NSManagedObjectContext {
  /// Returns a context that is confined to one thread. The concurrency type is made from its raw value, because its
  /// name is deprecated.
  static func confined(to coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(
      concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: 0) ?? .privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }
}

extension NSError {
  var conflicts: [NSMergeConflict] {
    userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict] ?? []
  }

  var constraintConflicts: [NSConstraintConflict] {
    userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] ?? []
  }
}

extension NSMergePolicy {
  /// The policies that resolve conflicts.
  static let resolving: [NSMergePolicy] = [
    .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ]

  /// Whether the store's value wins if both saves changed a property.
  var prefersStore: Bool { self === Self.mergeByPropertyStoreTrump || self === Self.rollback }
}
