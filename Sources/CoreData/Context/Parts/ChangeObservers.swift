/// An object that got its permanent ID, and the key of its temporary one.
typealias IdentifiedObject = (object: NSManagedObject, temporary: Int64)

/// Receives a context's changes, on its queue, each time they are processed.
protocol ObjectChangeObserver: AnyObject {
  /// Says whether a change concerns the observer.
  var interest: ChangeInterest { get }
  func contextDidChange(_ changes: ObjectChanges)
  /// Whether a row is shown by its key, also where its object is not in use.
  func shows(_ key: Int64, _ origin: StoreOrigin) -> Bool
  /// Unsaved objects have their permanent IDs from now on, and their rows are found by these; it is reported later
  /// what that did to their order. Calls no code of the program.
  func adoptPermanentIDs(_ objects: [IdentifiedObject])
  /// Unsaved objects got their permanent IDs.
  func objectsDidGetPermanentIDs(_ objects: [IdentifiedObject])
  /// The context's objects were saved, and their rows have new versions.
  func contextDidSave(_ objects: SavedObjects)
}

/// What stands between a context and an observer that may end at any time, on any thread: changes that do
/// not concern the observer are not reported, and nothing of it is touched for them. Where a hundred results
/// follow a context and a change concerns one of them, that is most of the work.
final class ChangeInterest: @unchecked Sendable {
  private let lock = BriefLock()
  private var lockedFilter: (any ChangeFilter)?

  /// What changes are compared with; nil notifies the observer of all.
  ///
  /// Whoever sets it unsets it before it ends: it holds the context.
  var filter: (any ChangeFilter)? {
    get { lock.withLock { lockedFilter } }
    set { lock.withLock { lockedFilter = newValue } }
  }

  fileprivate func concerns(_ changes: ObjectChanges) -> Bool {
    filter?.mayChange(by: changes) ?? true
  }
}

/// Says which changes may matter to an observer.
protocol ChangeFilter: AnyObject {
  func mayChange(by changes: ObjectChanges) -> Bool
}

/// The observers of a context's changes, held weakly.
final class ChangeObservers {
  private var observers: [Entry] = []

  /// In an object of its own: copying an array of weak references takes longer than notifying.
  private final class Entry {
    let interest: ChangeInterest
    weak var observer: (any ObjectChangeObserver)?

    init(_ observer: any ObjectChangeObserver) {
      interest = observer.interest
      self.observer = observer
    }
  }

  func add(_ observer: any ObjectChangeObserver) {
    remove(observer)
    observers.append(Entry(observer))
  }

  func remove(_ observer: any ObjectChangeObserver) {
    observers.removeAll { $0.observer == nil || $0.observer === observer }
  }

  func contains(_ observer: any ObjectChangeObserver) -> Bool {
    observers.contains { $0.observer === observer }
  }

  /// Whether an observer shows a row by its key.
  func show(_ key: Int64, _ origin: StoreOrigin) -> Bool {
    observers.contains { $0.observer?.shows(key, origin) == true }
  }

  /// The objects whose rows an observer shows by their keys.
  func shown(among objects: [NSManagedObject]) -> [NSManagedObject] {
    let present = observers.compactMap(\.observer)
    return objects.filter { object in
      present.contains { $0.shows(object.key, object.origin) }
    }
  }

  var isEmpty: Bool { !observers.contains { $0.observer != nil } }

  /// Calls `body` with each present observer, in the order in which they were added; one may end meanwhile.
  func forEach(_ body: (any ObjectChangeObserver) -> Void) {
    for entry in observers { if let observer = entry.observer { body(observer) } }
  }

  /// Notifies the observers that changes concern.
  func notify(_ changes: ObjectChanges) {
    let observers = observers
    // Not retained one by one: the array keeps them.
    observers.withUnsafeBufferPointer { observers in
      for index in observers.indices {
        Unmanaged.passUnretained(observers[index])._withUnsafeGuaranteedRef { entry in
          if entry.interest.concerns(changes) { entry.observer?.contextDidChange(changes) }
        }
      }
    }
  }
}
