public import Foundation
import ObjectModel

/// What queue a context works on.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// A private queue: everything is done in `perform` and `performAndWait`.
  case privateQueueConcurrencyType = 1
  /// The main queue: also used directly on the main thread.
  case mainQueueConcurrencyType = 2
}

/// Objects being worked on: fetched, inserted, changed and deleted in memory, and saved together.
///
/// A context and its objects belong to its queue. Use them inside `perform` or `performAndWait`;
/// those of the main queue also directly on the main thread. The context itself may be passed
/// between threads, its objects may not: pass their IDs.
///
/// A context keeps its objects weakly, except those with unsaved changes.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// The queue that the context works on.
  public let concurrencyType: NSManagedObjectContextConcurrencyType
  let queue: ContextQueue

  /// Where the objects come from and are saved to.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    didSet {
      if let persistentStoreCoordinator {
        ManagedObjectClasses.use(persistentStoreCoordinator.layouts)
        persistentStoreCoordinator.contexts.add(self)
      }
      if persistentStoreCoordinator !== oldValue { oldValue?.contexts.remove(self) }
    }
  }

  /// A name for messages and debugging.
  open var name: String?
  /// What is noted in a store's history as the author of saves.
  open var transactionAuthor: String?
  /// What happens when another save changed the same objects. The default throws.
  open var mergePolicy: Any = NSMergePolicy.error
  /// The program's own values.
  public let userInfo = NSMutableDictionary()
  /// Whether an object whose row is gone is treated as deleted rather than as empty.
  open var shouldDeleteInaccessibleFaults = true
  /// Whether delete rules are carried out when changes are processed rather than by the save.
  open var propagatesDeletesAtEndOfEvent = true
  /// Whether what other contexts of the coordinator save is merged into this one, on its queue.
  open var automaticallyMergesChangesFromParent = false
  /// Whether objects without changes are kept too.
  open var retainsRegisteredObjects = false

  // The rooms below each keep their own part of the state.
  var registry = ObjectRegistry()
  var retainedObjects: Set<NSManagedObject> = []
  var inserted = ChangeList()
  var updated = ChangeList()
  var deleted = ChangeList()
  /// What happened since changes were processed last.
  var pending = PendingChanges()
  /// Above 0 while sets do not count as changes (`awakeFromFetch`).
  var quietDepth = 0
  var isSaving = false
  var isProcessScheduled = false
  /// Whether observers are being told of changes.
  var isAnnouncing = false
  let observers = ChangeObservers()

  /// Makes a context without a coordinator.
  public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.concurrencyType = concurrencyType
    queue = ContextQueue(concurrencyType)
    super.init()
  }

  /// Makes a context without a coordinator.
  public convenience init(_ concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.init(concurrencyType: concurrencyType)
  }

  deinit {
    // Objects that are still held elsewhere must not lead here, nor to each other in circles.
    for object in registry.objects { object.leaveContext() }
  }

  /// The layouts of the coordinator's model.
  var layouts: ModelLayout? { persistentStoreCoordinator?.layouts }

  // MARK: What is changed

  /// Whether a save would do something.
  open var hasChanges: Bool { !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty }
  /// The objects that the next save will insert.
  open var insertedObjects: Set<NSManagedObject> { inserted.set }
  /// The objects that the next save will update.
  open var updatedObjects: Set<NSManagedObject> { updated.set }
  /// The objects that the next save will delete.
  open var deletedObjects: Set<NSManagedObject> { deleted.set }
  /// The objects that are in use.
  open var registeredObjects: Set<NSManagedObject> { Set(registry.objects) }

  /// The one entity that a class serves in this context's model.
  func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
    let own = layouts?.entities.first { $0.managedObjectClass == type }
    return own?.entity ?? ManagedObjectClasses.entity(of: type)
  }

  /// Runs `body` without counting what it sets as changes.
  func quietly(_ body: () -> Void) {
    quietDepth += 1
    body()
    quietDepth -= 1
  }
}
