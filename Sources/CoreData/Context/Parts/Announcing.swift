import Observation

/// The processing of a context's changes: when it happens, whether observers are being notified,
/// and the objects' values before the change.
struct Announcing {
  /// Whether the processing of the pending changes is scheduled on the context's queue.
  private(set) var isScheduled = false
  /// Whether processing is deferred, during `didSave` and while a child's save is applied.
  private(set) var isDeferred = false
  /// Whether observers are being notified of changes.
  private(set) var isNotifying = false
  let observers = ChangeObservers()
  /// The number of processed batches of changes and of merges. Live results that stopped following the context compare
  /// it to find out whether they missed changes.
  private(set) var changeCount = 0
  /// The event that observers are being notified of.
  private(set) var event: AnnouncedEvent?
  /// The states that objects with unsaved changes had when changes were last processed. Recorded only for objects that
  /// have changed again since then.
  private(set) var baselines: [ObjectIdentifier: EventBaseline] = [:]
  /// The changes of relationships that accessors have announced and not completed yet.
  private(set) var announcedChanges: [NSManagedObjectContext.AnnouncedChange] = []
  private(set) var observedObjects = ObservedObjects()
  /// The live set of the ordered relationship that was last changed; nil after changes are processed.
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

  /// Sets whether processing is deferred, and returns the previous value.
  mutating func setDeferred(_ isDeferred: Bool) -> Bool {
    exchange(&self.isDeferred, with: isDeferred)
  }

  /// Sets whether observers are being notified, and returns the previous value.
  mutating func setNotifying(_ isNotifying: Bool) -> Bool {
    exchange(&self.isNotifying, with: isNotifying)
  }

  /// Counts a batch of changes or a merge.
  mutating func countChange() { changeCount &+= 1 }

  /// Sets the event that observers are being notified of, and returns the previous value. Events nest, so the caller
  /// restores that value afterwards.
  mutating func setEvent(_ event: AnnouncedEvent?) -> AnnouncedEvent? {
    exchange(&self.event, with: event)
  }

  mutating func note(_ baseline: EventBaseline, of object: NSManagedObject) {
    baselines[ObjectIdentifier(object)] = baseline
  }

  /// Forgets the states of the last event, because a new event starts.
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
