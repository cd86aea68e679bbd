/// An object that got its permanent ID, and the key of its temporary ID.
typealias IdentifiedObject = (object: NSManagedObject, temporary: Int64)

/// Observes the changes of a context. Called on the context's queue each time changes are processed.
protocol ObjectChangeObserver: AnyObject {
  /// Determines which changes the observer is notified of.
  var interest: ChangeInterest { get }
  func contextDidChange(_ changes: ObjectChanges)
  /// Returns whether a change to an object of an entity may make the observer read the object's row.
  func covers(_ layout: EntityLayout) -> Bool
  /// Returns whether the observer shows the row with a key, even if the context has no object for the row.
  func shows(_ key: Int64, _ origin: StoreOrigin) -> Bool
  /// Adopts the permanent IDs of unsaved objects, which identify their rows from now on. Must not call code of the
  /// program: the later call of `objectsDidGetPermanentIDs(_:)` reports changes to the order.
  func adoptPermanentIDs(_ objects: [IdentifiedObject])
  /// Called after unsaved objects got their permanent IDs.
  func objectsDidGetPermanentIDs(_ objects: [IdentifiedObject])
  /// Called after the context's objects were saved and their rows got new versions.
  func contextDidSave(_ objects: SavedObjects)
}

/// Filters changes for an observer that may be deallocated at any time, on any thread. Changes that do not
/// concern the observer are filtered without accessing it. When a hundred live results observe a context and a change
/// concerns one of them, this saves most of the work.
final class ChangeInterest: @unchecked Sendable {
  private let lock = BriefLock()
  private var lockedFilter: (any ChangeFilter)?

  /// The filter that changes must pass; nil if the observer is notified of all changes.
  ///
  /// The filter holds the context, so the observer must set it to nil before it is deallocated.
  var filter: (any ChangeFilter)? {
    get { lock.withLock { lockedFilter } }
    set { lock.withLock { lockedFilter = newValue } }
  }

  fileprivate func concerns(_ changes: ObjectChanges) -> Bool {
    filter?.mayChange(by: changes) ?? true
  }
}

/// Determines which changes may affect an observer.
protocol ChangeFilter: AnyObject {
  func mayChange(by changes: ObjectChanges) -> Bool
}

/// The observers of a context's changes, held weakly.
final class ChangeObservers {
  private var observers: [Entry] = []

  // A class, because copying an array of weak references takes longer than notifying.
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

  /// Returns whether a change to an object of an entity may make an observer read the object's row.
  func cover(_ layout: EntityLayout) -> Bool {
    observers.contains { $0.observer?.covers(layout) == true }
  }

  /// Returns whether an observer shows the row with a key.
  func show(_ key: Int64, _ origin: StoreOrigin) -> Bool {
    observers.contains { $0.observer?.shows(key, origin) == true }
  }

  /// Returns the objects whose rows an observer shows.
  func shown(among objects: [NSManagedObject]) -> [NSManagedObject] {
    let present = observers.compactMap(\.observer)
    return objects.filter { object in
      present.contains { $0.shows(object.key, object.origin) }
    }
  }

  var isEmpty: Bool { !observers.contains { $0.observer != nil } }

  /// Calls `body` with each observer in the order of addition. An observer may be deallocated meanwhile.
  func forEach(_ body: (any ObjectChangeObserver) -> Void) {
    for entry in observers { if let observer = entry.observer { body(observer) } }
  }

  /// Notifies the observers whose filters let the changes pass.
  func notify(_ changes: ObjectChanges) {
    // A copy, because observers may be added and removed meanwhile. A new one observes from the
    // next change on.
    let observers = observers
    // Entries are not retained one by one, because the array keeps them alive.
    observers.withUnsafeBufferPointer { observers in
      for index in observers.indices {
        Unmanaged.passUnretained(observers[index])._withUnsafeGuaranteedRef { entry in
          if entry.interest.concerns(changes) { entry.observer?.contextDidChange(changes) }
        }
      }
    }
  }
}
