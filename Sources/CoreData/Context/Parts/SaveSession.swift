/// The save that is under way, and what was asked for the next one.
struct SaveSession {
  private(set) var isSaving = false
  /// How often a save began.
  private(set) var count = 0
  /// Whether a save checks the model's rules first. A migration checks them when all relationships are set.
  var validates = true
  /// Objects that are compared with the store though nothing of them is saved.
  private(set) var checkedObjects = ChangeList()
  /// Objects whose deleted rows the save inserts again.
  private(set) var restoredObjects = ChangeList()
  /// The stores that new objects were assigned to.
  private(set) var assignedStores: [ObjectIdentifier: NSPersistentStore] = [:]
  /// The new objects of the last notification, as it contained them: the save's own notification mostly contains the
  /// same.
  private(set) var announcedInsertions: (objects: [NSManagedObject], set: Set<NSManagedObject>) =
    ([], [])

  mutating func begin() {
    isSaving = true
    count += 1
  }

  /// - Returns: what is dropped: the set first, so that objects end in the order in which they were made.
  @discardableResult
  mutating func end() -> (Set<NSManagedObject>, [NSManagedObject], ChangeList) {
    defer { (isSaving, announcedInsertions, restoredObjects) = (false, ([], []), ChangeList()) }
    return (announcedInsertions.set, announcedInsertions.objects, restoredObjects)
  }

  /// What was asked for this save is done.
  @discardableResult
  mutating func wasWritten() -> ChangeList {
    defer { (checkedObjects, assignedStores) = (ChangeList(), [:]) }
    return checkedObjects
  }

  mutating func check(_ object: NSManagedObject) { checkedObjects.insert(object) }

  /// Has the save insert the deleted row of an object again.
  mutating func restore(_ object: NSManagedObject) { restoredObjects.insert(object) }
  mutating func withdrawRestoring(_ object: NSManagedObject) { restoredObjects.remove(object) }

  mutating func assign(_ object: NSManagedObject, to store: NSPersistentStore?) {
    assignedStores[ObjectIdentifier(object)] = store
  }

  /// The store that a new object was assigned to.
  func store(of object: NSManagedObject) -> NSPersistentStore? {
    assignedStores[ObjectIdentifier(object)]
  }

  mutating func noteAnnounced(_ objects: [NSManagedObject], _ set: Set<NSManagedObject>) {
    if isSaving { announcedInsertions = (objects, set) }
  }

  /// Returns what is wrong with the lists, or nil. It changes nothing.
  func checkInvariants() -> String? {
    let announced = Set(announcedInsertions.objects)
    if announced != announcedInsertions.set { return "the notification had other new objects" }
    if !isSaving, !announced.isEmpty { return "new objects are kept after their save" }
    return ChangeList.checkInvariants(of: ["checked": checkedObjects, "restored": restoredObjects])
  }
}
