import OrderedCollections

/// The members of a to-many relationship of one object.
///
/// Changes are kept separate from the stored members, so members of an unread relationship can be added and
/// removed. Setting one side of a relationship mostly updates the other without reading it.
final class ToManyContent {
  let isOrdered: Bool
  /// The members, if they were read.
  private var members: Members?
  /// The stored members as rows, if they were read ahead and have no objects yet.
  private var rows: MemberRows?
  /// Members that the store does not have.
  private(set) var added = ChangeList()
  /// Removed members that the store still has.
  private(set) var removed: Set<NSManagedObject> = []
  private(set) var isReordered = false
  /// The members as a Foundation collection, cached.
  private var publicForm: NSObject?
  /// The order before the members were discarded. New members follow it.
  private var formerOrder: [NSManagedObject] = []
  /// Counts the changes, so that the owner of a copy of the members sees whether it is outdated.
  private(set) var revision = 0
  /// The live set of an ordered relationship, if one is in use.
  weak var liveSet: LiveOrderedSet?

  private enum Members {
    /// The members as they were read. Most are only iterated over; the first lookup makes a set.
    case list([NSManagedObject])
    case set(Set<NSManagedObject>)
    case ordered(MemberOrder)
  }

  init(isOrdered: Bool) { self.isOrdered = isOrdered }

  /// Whether the members are in memory as objects.
  var isRead: Bool { members != nil }
  /// Whether the stored members are in memory as rows, from which objects are made on demand.
  var isReadAhead: Bool { rows != nil }
  /// Whether the members are in memory in either form, so that using them reads nothing.
  var isLoaded: Bool { isRead || isReadAhead }
  /// The number of members if it is known without making their objects.
  var loadedCount: Int? { isRead ? count : isChanged || !formerOrder.isEmpty ? nil : rows?.count }
  var isChanged: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

  /// Sets the stored members, and applies the unsaved changes to them.
  func setStored(_ stored: [NSManagedObject]) {
    rows = nil
    // A member that another save has added, too, is no longer a change.
    if !added.isEmpty { for object in stored { added.remove(object) } }
    if !removed.isEmpty {
      // A removed member that another save has removed, too, is no longer a change either: if it is
      // added again, it is new. A deleted member is kept, because it is not among the read ones and
      // its deletion may be reverted.
      let present = Set(stored)
      removed = removed.filter { present.contains($0) || $0.flags.contains(.deleted) }
    }
    if isOrdered {
      var order = OrderedSet(removed.isEmpty ? stored : stored.filter { !removed.contains($0) })
      if !formerOrder.isEmpty {
        let present = order
        order = OrderedSet(formerOrder.filter { present.contains($0) || added.contains($0) })
        order.append(contentsOf: present)
        formerOrder = []
      }
      // Objects that were added to unread members go to the end, in the order of their addition.
      for object in added { order.append(object) }
      members = .ordered(MemberOrder(order.elements))
    } else if removed.isEmpty, added.isEmpty {
      members = .list(stored)
    } else {
      var set = Set(stored)
      set.subtract(removed)
      set.formUnion(added)
      members = .set(set)
    }
    didChange()
  }

  /// Sets the rows of the stored members. Their objects are made when the members are needed.
  func setStoredRows(_ stored: MemberRows) { rows = stored }

  /// Makes the objects of members that were read ahead, and sets them as the stored members.
  func makeMembers(in context: NSManagedObjectContext) {
    guard let rows else { return }
    setStored(context.objects(of: rows).filter { !$0.isDeletedForGood })
  }

  /// Converts a list of members to a set for lookups.
  private func makeSet() {
    if case .list(let list) = members { members = .set(Set(list)) }
  }

  private func didChange() {
    publicForm = nil
    revision &+= 1
  }

  func contains(_ object: NSManagedObject) -> Bool {
    makeSet()
    return switch members {
    case .set(let set): set.contains(object)
    case .ordered(let order): order.contains(object)
    case nil, .list: added.contains(object)
    }
  }

  /// Adds a member: to an ordered relationship at the end, or at an index among members that were read.
  func insert(_ object: NSManagedObject, at index: Int? = nil) {
    didChange()
    makeSet()
    switch members {
    case .set(var set):
      // `members` is released first, so that the set is changed in place instead of copied.
      members = nil
      let isNew = set.insert(object).inserted
      members = .set(set)
      if !isNew { return }
    case .ordered(var order):
      members = nil
      let isAtEnd = index.map { $0 >= order.count } ?? true
      let isNew = order.insert(object, at: index ?? order.count)
      members = .ordered(order)
      if !isNew { return }
      if !isAtEnd { isReordered = true }
    case nil, .list: break
    }
    // An object that undo restored after its row was deleted is in no store, even if it was a stored member before.
    if removed.remove(object) == nil || object.flags.contains(.inserted) {
      added.insert(object)
    } else if isOrdered {
      // The store still has the member at its former position.
      isReordered = true
    }
  }

  func remove(_ object: NSManagedObject) {
    didChange()
    makeSet()
    switch members {
    case .set(var set):
      members = nil
      let wasThere = set.remove(object) != nil
      members = .set(set)
      if !wasThere { return }
    case .ordered(var order):
      members = nil
      let wasThere = order.remove(object)
      members = .ordered(order)
      if !wasThere { return }
    case nil, .list: break
    }
    if !added.remove(object) { removed.insert(object) }
  }

  /// Changes the order of the members of an ordered relationship.
  func reorder(_ order: OrderedSet<NSManagedObject>) {
    didChange()
    members = .ordered(MemberOrder(order.elements))
    isReordered = true
  }

  /// Forgets that the members were reordered if they are in the stored order again.
  func forgetOrder(ifStoredAs stored: [NSManagedObject]) {
    guard isReordered, isRead, added.isEmpty, removed.isEmpty,
      objects.elementsEqual(stored, by: ===)
    else { return }
    isReordered = false
  }

  /// Returns whether the members must be read before an object is added at the end: it may have
  /// been a member before, in the store or before the members were discarded.
  func needsReading(toAdd object: NSManagedObject) -> Bool {
    isOrdered && members == nil && (!formerOrder.isEmpty || removed.contains(object))
  }

  /// The members; empty if they were not read.
  var objects: [NSManagedObject] {
    switch members {
    case .list(let list): list
    case .set(let set): Array(set)
    case .ordered(let order): order.objects
    case nil: []
    }
  }

  /// Returns the index of a member; nil for other objects, and if the relationship is unordered or was not read.
  func index(of object: NSManagedObject) -> Int? {
    if case .ordered(let order) = members { order.index(of: object) } else { nil }
  }

  /// Returns the member at an index of an ordered relationship; nil if there is none.
  func object(at index: Int) -> NSManagedObject? {
    guard case .ordered(let order) = members, index >= 0, index < order.count else { return nil }
    return order[index]
  }

  /// Whether positions must be written, because members were moved or added. If members were only
  /// removed, the remaining ones keep their stored positions.
  var needsNewOrder: Bool { isOrdered && (!added.isEmpty || isReordered) }

  var count: Int {
    switch members {
    case .list(let list): list.count
    case .set(let set): set.count
    case .ordered(let order): order.count
    case nil: 0
    }
  }

  /// The members as an `NSSet` or `NSOrderedSet`.
  var collection: NSObject {
    if let publicForm { return publicForm }
    let form: NSObject = isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
    publicForm = form
    return form
  }

  /// Returns an independent copy with the same members and changes.
  func copy() -> ToManyContent {
    let copy = ToManyContent(isOrdered: isOrdered)
    copy.members = members
    copy.added = added
    copy.removed = removed
    copy.isReordered = isReordered
    copy.formerOrder = formerOrder
    return copy
  }

  /// Returns whether another content has the same changes to the stored members.
  func hasSameChanges(as other: ToManyContent) -> Bool {
    guard added.count == other.added.count, removed == other.removed,
      added.allSatisfy(other.added.contains)
    else { return false }
    if !isOrdered || !isReordered && !other.isReordered && added.isEmpty { return true }
    return isRead && other.isRead && objects.elementsEqual(other.objects, by: ===)
  }

  /// Discards the stored members, so that they are read again and the unsaved changes applied to them. If there are no
  /// such changes, returns false and discards nothing.
  func forgetStored() -> Bool {
    guard isChanged else { return false }
    didChange()
    if case .ordered(let order) = members { formerOrder = order.objects }
    members = nil
    rows = nil
    return true
  }

  /// Reverts the changes of one member. The caller must discard the members, so that they are read again.
  func forget(_ object: NSManagedObject) {
    didChange()
    added.remove(object)
    removed.remove(object)
  }

  /// Records that the current members were saved.
  func didSave() {
    // The rows lack the saved changes.
    if isChanged { rows = nil }
    added.removeAll()
    removed = []
    isReordered = false
    formerOrder = []
  }

  /// Returns a description of an inconsistency in the members or their changes, or nil. Changes nothing.
  func checkInvariants() -> String? {
    if let problem = added.checkInvariants() { return "added members: \(problem)" }
    if added.contains(where: removed.contains) { return "a member is both added and removed" }
    if isReordered, !isOrdered { return "members of an unordered relationship are reordered" }
    if case .ordered(let order) = members, let problem = order.checkInvariants() { return problem }
    guard isRead else { return nil }
    let present = Set(objects)
    if !added.allSatisfy(present.contains) { return "an added member is missing" }
    return removed.isDisjoint(with: present) ? nil : "a removed member is still present"
  }
}
