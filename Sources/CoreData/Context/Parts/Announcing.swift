import Observation

/// The processing of a context's changes: when it happens, whether observers are being notified,
/// and the objects' values before the change.
struct Announcing {
  /// Whether changes will be processed without a further change.
  private(set) var isScheduled = false
  /// Whether processing is deferred, during `didSave` and while a child's save is applied.
  private(set) var isDeferred = false
  /// Whether observers are being notified of changes.
  private(set) var isNotifying = false
  let observers = ChangeObservers()
  /// The number of changes that concern live results, counted even if there are none.
  private(set) var changeCount = 0
  /// The event that observers are being notified of.
  private(set) var event: AnnouncedEvent?
  /// The states of objects with unsaved changes that changed again since changes were last processed.
  private(set) var baselines: [ObjectIdentifier: EventBaseline] = [:]
  /// The changes of relationships that accessors have announced.
  private(set) var announcedChanges: [NSManagedObjectContext.AnnouncedChange] = []
  private(set) var observedObjects = ObservedObjects()
  /// The live form of the ordered relationship that was last changed, until changes are processed.
  private var liveSetInUse: LiveOrderedSet?

  mutating func schedule() { isScheduled = true }

  /// Records that changes are being processed.
  @discardableResult
  mutating func beginProcessing() -> LiveOrderedSet? {
    isScheduled = false
    return setLiveSetInUse(nil)
  }

  @discardableResult
  mutating func setLiveSetInUse(_ set: LiveOrderedSet?) -> LiveOrderedSet? {
    exchange(&liveSetInUse, with: set)
  }

  /// Sets whether processing is deferred, and returns the value before.
  mutating func setDeferred(_ isDeferred: Bool) -> Bool {
    exchange(&self.isDeferred, with: isDeferred)
  }

  /// Sets whether observers are being notified, and returns the value before.
  mutating func setNotifying(_ isNotifying: Bool) -> Bool {
    exchange(&self.isNotifying, with: isNotifying)
  }

  /// Counts a change that concerns live results.
  mutating func countChange() { changeCount &+= 1 }

  /// Sets the event that observers are notified of, or restores the outer one. Returns the value before.
  mutating func setEvent(_ event: AnnouncedEvent?) -> AnnouncedEvent? {
    exchange(&self.event, with: event)
  }

  mutating func note(_ baseline: EventBaseline, of object: NSManagedObject) {
    baselines[ObjectIdentifier(object)] = baseline
  }

  /// Starts a new event.
  mutating func forgetBaselines() { if !baselines.isEmpty { baselines = [:] } }

  mutating func announce(_ change: NSManagedObjectContext.AnnouncedChange) {
    announcedChanges.append(change)
  }

  @discardableResult
  mutating func setMutableCollection(_ collection: NSObject?, at index: Int) -> NSObject? {
    exchange(&announcedChanges[index].mutableCollection, with: collection)
  }

  /// Removes the announcement at an index and returns it.
  mutating func removeAnnouncedChange(at index: Int) -> NSManagedObjectContext.AnnouncedChange {
    announcedChanges.remove(at: index)
  }

  /// Returns the registrar of an object's observers.
  mutating func registrar(of object: NSManagedObject) -> ObservationRegistrar {
    observedObjects.registrar(of: object)
  }

  /// Forgets the current event when the context is reset.
  @discardableResult
  mutating func reset() -> (
    [NSManagedObjectContext.AnnouncedChange], [EventBaseline], LiveOrderedSet?
  ) {
    defer { (announcedChanges, baselines, liveSetInUse) = ([], [:], nil) }
    return (announcedChanges, Array(baselines.values), liveSetInUse)
  }

  /// Forgets the observed objects when the context is reset.
  @discardableResult
  mutating func forgetObservedObjects() -> ObservedObjects {
    exchange(&observedObjects, with: ObservedObjects())
  }

  /// Returns a description of an inconsistency of the announced event, or nil.
  func checkInvariants() -> String? {
    event != nil && !isNotifying ? "there is an event that no observer is being notified of" : nil
  }
}
