/// What a save of a context would do: which objects are new, changed or deleted, and what is still due of deletions.
///
/// The flags of an object (``ObjectState``) say the same of it; `checkInvariants()` compares them.
///
/// Here and in the context's other parts a method that drops objects returns them: they may end with that, which runs
/// code of the program's that uses the part.
struct UnsavedChanges {
  private(set) var inserted = ChangeList()
  private(set) var updated = ChangeList()
  private(set) var deleted = ChangeList()
  /// Deleted objects whose delete rules may not have been carried out.
  private(set) var deletionsToPropagate = ChangeList()
  /// Deleted objects whose deletion another context saved.
  private(set) var deletedElsewhere = ChangeList()
  /// Objects that others changed while deletions waited to be saved, and that may refer to deleted ones.
  private(set) var arrived = ChangeList()

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  // MARK: Insertions and updates

  /// - Parameter isKnownToBeNew: whether the object cannot be in the list.
  mutating func insert(_ object: NSManagedObject, isKnownToBeNew: Bool = false) {
    if isKnownToBeNew { inserted.append(object) } else { inserted.insert(object) }
  }

  mutating func update(_ object: NSManagedObject) { updated.insert(object) }

  /// The object is as its row is.
  mutating func withdrawUpdate(_ object: NSManagedObject) { updated.remove(object) }

  /// An object that was to be inserted turned out to have a row, which it changes.
  mutating func updateInsteadOfInserting(_ object: NSManagedObject) {
    inserted.remove(object)
    updated.insert(object)
  }

  /// Nothing of the object is saved.
  mutating func forget(_ object: NSManagedObject) {
    inserted.remove(object)
    updated.remove(object)
    deleted.remove(object)
  }

  /// Some objects were inserted in the source. Flags tell which others are still to be.
  mutating func insertionsWereSaved(_ objects: [NSManagedObject]) {
    if !updated.isEmpty { for object in objects { updated.remove(object) } }
    if objects.count == inserted.count {
      inserted.removeAll()
    } else {
      inserted.removeAll { !$0.flags.contains(.inserted) }
    }
  }

  // MARK: Deletions

  mutating func delete(_ object: NSManagedObject) { deleted.insert(object) }

  /// The delete rules of a deleted object are to be carried out.
  mutating func noteRulesDue(of object: NSManagedObject) { deletionsToPropagate.insert(object) }

  /// Removes the objects whose rules are due and returns them; the caller carries the rules out.
  mutating func removeDeletionsToPropagate() -> ChangeList {
    exchange(&deletionsToPropagate, with: ChangeList())
  }

  /// The object is not deleted any more, or its deletion is saved.
  ///
  /// - Returns: whether it was listed.
  @discardableResult
  mutating func withdrawDeletion(_ object: NSManagedObject) -> Bool { deleted.remove(object) }

  /// Another context or process deleted the object's row.
  mutating func deleteElsewhere(_ object: NSManagedObject) {
    inserted.remove(object)
    updated.remove(object)
    deleted.insert(object)
    deletedElsewhere.insert(object)
  }

  /// The object has a row again, or needs none.
  ///
  /// - Returns: whether it counted as deleted elsewhere.
  @discardableResult
  mutating func withdrawDeletionElsewhere(_ object: NSManagedObject) -> Bool {
    deletedElsewhere.remove(object)
  }

  /// Removes the objects that others deleted and returns them.
  @discardableResult
  mutating func removeDeletedElsewhere() -> [NSManagedObject] {
    let objects = deletedElsewhere.objects
    for object in objects { deleted.remove(object) }
    deletedElsewhere.removeAll()
    return objects
  }

  // MARK: What others changed

  mutating func noteArrival(of objects: ChangeList) {
    for object in objects { arrived.insert(object) }
  }

  @discardableResult
  mutating func forgetArrivals() -> ChangeList { exchange(&arrived, with: ChangeList()) }

  // MARK: All of it

  @discardableResult
  mutating func removeAll() -> UnsavedChanges { exchange(&self, with: UnsavedChanges()) }

  /// The lists that objects know by flags that they are in.
  var flaggedLists: [(name: String, list: ChangeList, flag: ObjectState.Flags)] {
    [
      ("inserted", inserted, .inserted), ("updated", updated, .updated),
      ("deleted", deleted, .deleted),
    ]
  }

  /// Returns what is wrong with the lists, or nil. It changes nothing.
  func checkInvariants() -> String? {
    let fault = ChangeList.checkInvariants(of: [
      "inserted": inserted, "updated": updated, "deleted": deleted, "arrived": arrived,
      "propagating": deletionsToPropagate, "elsewhere deleted": deletedElsewhere,
    ])
    if let fault { return fault }
    for (name, list, flag) in flaggedLists {
      for object in list where !object.flags.contains(flag) {
        return "\(object.objectID) is among the \(name) objects and says that it is not"
      }
    }
    return deletedElsewhere.set.isSubset(of: deleted.set)
      ? nil : "an object was deleted elsewhere, and is not among the deleted objects"
  }
}
