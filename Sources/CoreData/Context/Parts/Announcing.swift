import Observation

/// The processing of a context's changes: when it happens, whom it notifies, and which values objects had before.
struct Announcing {
  /// Whether changes will be processed without another change.
  private(set) var isScheduled = false
  /// While `didSave` is called or a child's save is taken over: what changes meanwhile is processed afterwards.
  private(set) var isPutOff = false
  /// Whether observers are being notified of changes.
  private(set) var isUnderWay = false
  let observers = ChangeObservers()
  /// Counts the changes that concern live results, whether there are any or not.
  private(set) var changeCount = 0
  /// The event that observers are being notified of.
  private(set) var event: AnnouncedEvent?
  /// How objects were that had unsaved changes and are changed again since changes were processed.
  private(set) var baselines: [ObjectIdentifier: EventBaseline] = [:]
  /// Relationships that accessors announced to change.
  private(set) var announcedChanges: [NSManagedObjectContext.AnnouncedChange] = []
  /// The observed objects.
  private(set) var observedObjects = ObservedObjects()
  /// The live form of the ordered relationship that was changed last, until changes are processed.
  private var liveSetInUse: LiveOrderedSet?

  mutating func schedule() { isScheduled = true }

  /// Changes are being processed.
  @discardableResult
  mutating func beginProcessing() -> LiveOrderedSet? {
    isScheduled = false
    return setLiveSetInUse(nil)
  }

  @discardableResult
  mutating func setLiveSetInUse(_ set: LiveOrderedSet?) -> LiveOrderedSet? {
    exchange(&liveSetInUse, with: set)
  }

  /// Sets whether processing waits.
  ///
  /// - Returns: what was set before.
  mutating func setPutOff(_ isPutOff: Bool) -> Bool { exchange(&self.isPutOff, with: isPutOff) }

  /// Sets whether observers are being notified.
  ///
  /// - Returns: what was set before.
  mutating func setUnderWay(_ isUnderWay: Bool) -> Bool {
    exchange(&self.isUnderWay, with: isUnderWay)
  }

  /// What happened since the last time concerns live results.
  mutating func countChange() { changeCount &+= 1 }

  /// Sets the event that observers are notified of; with the event of before, the notification has ended.
  ///
  /// - Returns: the event of before.
  mutating func setEvent(_ event: AnnouncedEvent?) -> AnnouncedEvent? {
    exchange(&self.event, with: event)
  }

  mutating func note(_ baseline: EventBaseline, of object: NSManagedObject) {
    baselines[ObjectIdentifier(object)] = baseline
  }

  /// A new event begins.
  mutating func forgetBaselines() { if !baselines.isEmpty { baselines = [:] } }

  mutating func announce(_ change: NSManagedObjectContext.AnnouncedChange) {
    announcedChanges.append(change)
  }

  @discardableResult
  mutating func setHandedOut(_ collection: NSObject?, at index: Int) -> NSObject? {
    exchange(&announcedChanges[index].handedOut, with: collection)
  }

  /// Removes the announcement at an index and returns it.
  mutating func removeAnnouncedChange(at index: Int) -> NSManagedObjectContext.AnnouncedChange {
    announcedChanges.remove(at: index)
  }

  /// Returns what notifies the observers of an object's values.
  mutating func registrar(of object: NSManagedObject) -> ObservationRegistrar {
    observedObjects.registrar(of: object)
  }

  /// Forgets the present event: the context was reset.
  @discardableResult
  mutating func reset() -> (
    [NSManagedObjectContext.AnnouncedChange], [EventBaseline], LiveOrderedSet?
  ) {
    defer { (announcedChanges, baselines, liveSetInUse) = ([], [:], nil) }
    return (announcedChanges, Array(baselines.values), liveSetInUse)
  }

  /// Forgets the observed objects: the context was reset.
  @discardableResult
  mutating func forgetObservedObjects() -> ObservedObjects {
    exchange(&observedObjects, with: ObservedObjects())
  }

  /// Returns what is wrong with the announced event, or nil.
  func checkInvariants() -> String? {
    event != nil && !isUnderWay ? "there is an event that no observer is being notified of" : nil
  }
}
