/// The state of the current save, and requests for the next one.
struct SaveSession {
  private(set) var isSaving = false
  /// The number of saves that have begun.
  private(set) var count = 0
  /// Whether a save validates objects first. A migration validates after it has set all relationships.
  private(set) var validates = true
  /// Unchanged objects that the save compares with the store.
  private(set) var checkedObjects = ChangeList()
  /// Objects whose deleted rows the save inserts again.
  private(set) var restoredObjects = ChangeList()
  /// The stores that the program assigned new objects to.
  private var assignedStores: [ObjectIdentifier: AssignedStore] = [:]
  /// The inserted objects of the last change notification, as an array and as its set. The save's own notification
  /// usually contains the same objects.
  private(set) var announcedInsertions: (objects: [NSManagedObject], set: Set<NSManagedObject>) =
    ([], [])

  private struct AssignedStore {
    // Compared in `store(of:)`, because the key is the object's address, which another object may get
    // when this one is deallocated without a save.
    weak var object: NSManagedObject?
    let store: NSPersistentStore
  }

  mutating func skipValidation() { validates = false }

  mutating func begin() {
    isSaving = true
    count += 1
  }

  /// - Returns: The objects that the session no longer retains.
  @discardableResult
  mutating func end() -> (Set<NSManagedObject>, [NSManagedObject], ChangeList) {
    defer { (isSaving, announcedInsertions, restoredObjects) = (false, ([], []), ChangeList()) }
    // The set is released first, so that objects are deallocated in the order in which they were
    // made.
    return (announcedInsertions.set, announcedInsertions.objects, restoredObjects)
  }

  /// Clears the requests for the next save, after a save has carried them out or a rollback has discarded them.
  @discardableResult
  mutating func forgetRequests() -> ChangeList {
    defer { (checkedObjects, assignedStores) = (ChangeList(), [:]) }
    return checkedObjects
  }

  mutating func check(_ object: NSManagedObject) { checkedObjects.insert(object) }

  /// Makes the save insert the deleted row of an object again.
  mutating func restore(_ object: NSManagedObject) { restoredObjects.insert(object) }
  mutating func withdrawRestoring(_ object: NSManagedObject) { restoredObjects.remove(object) }

  mutating func assign(_ object: NSManagedObject, to store: NSPersistentStore?) {
    assignedStores[ObjectIdentifier(object)] = store.map {
      AssignedStore(object: object, store: $0)
    }
  }

  /// Whether the program assigned new objects to stores.
  var assignsStores: Bool { !assignedStores.isEmpty }

  /// Returns the store that the program assigned a new object to, or the store that replaced it when
  /// its objects were moved.
  func store(of object: NSManagedObject) -> NSPersistentStore? {
    guard let assigned = assignedStores[ObjectIdentifier(object)], assigned.object === object
    else { return nil }
    return assigned.store.engine.origin.store ?? assigned.store
  }

  mutating func noteAnnounced(_ objects: [NSManagedObject], _ set: Set<NSManagedObject>) {
    // The objects are recorded only during a save, because this retains them.
    if isSaving { announcedInsertions = (objects, set) }
  }

  /// Returns a description of an inconsistency in the lists, or nil. Changes nothing.
  func checkInvariants() -> String? {
    let announced = Set(announcedInsertions.objects)
    if announced != announcedInsertions.set { return "the announced array and set differ" }
    if !isSaving, !announced.isEmpty { return "announced insertions are kept after the save" }
    return ChangeList.checkInvariants(of: ["checked": checkedObjects, "restored": restoredObjects])
  }
}
