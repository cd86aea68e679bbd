import OrderedCollections

/// The members of a to-many relationship of one object.
///
/// Kept as a change against what the store has, so that members can be added to and taken from a
/// relationship that was not read. So setting one side of a relationship mostly changes the other without reading it.
final class ToManyContent {
  let isOrdered: Bool
  /// The members, once they were read.
  private var members: Members?
  /// The stored members as rows, while they were read ahead and not asked for.
  private var rows: MemberRows?
  /// Members that the store does not have, and those that only the store still has.
  private(set) var added = ChangeList()
  private(set) var removed: Set<NSManagedObject> = []
  private(set) var isReordered = false
  /// The public form, made when asked for.
  private var publicForm: NSObject?
  /// The order before the members were let go, which new ones are put behind.
  private var formerOrder: [NSManagedObject] = []
  /// Counts the changes, for who keeps a copy of the members.
  private(set) var revision = 0
  /// The live form of an ordered relationship, while somebody holds it.
  weak var liveSet: LiveOrderedSet?

  private enum Members {
    /// As they were read; most are only gone through.
    case list([NSManagedObject])
    case set(Set<NSManagedObject>)
    case ordered(MemberOrder)
  }

  init(isOrdered: Bool) { self.isOrdered = isOrdered }

  /// Whether the members are there as objects.
  var isRead: Bool { members != nil }
  /// Whether the stored members are there as rows, to be made objects when somebody asks.
  var isReadAhead: Bool { rows != nil }
  /// Whether the members are in memory, so that using them reads nothing.
  var isLoaded: Bool { isRead || isReadAhead }
  /// How many members there are, where that can be said without making their objects.
  var loadedCount: Int? { isRead ? count : isChanged || !formerOrder.isEmpty ? nil : rows?.count }
  var isChanged: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

  /// Sets the members that the store has, and applies the unsaved changes to them.
  func setStored(_ stored: [NSManagedObject]) {
    rows = nil
    // Whom somebody else added as well is no change any more.
    if !added.isEmpty { for object in stored { added.remove(object) } }
    if !removed.isEmpty {
      // Nor whom somebody else took out: added again, it is new. One that is deleted is not read, and may come back.
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
      // Objects added while unread go to the end, in the order in which they were added.
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

  /// Sets the rows of the members that the store has; their objects are made when the members are needed.
  func setStoredRows(_ stored: MemberRows) { rows = stored }

  /// Makes the objects of members that were read ahead, and sets them.
  func makeMembers(in context: NSManagedObjectContext) {
    guard let rows else { return }
    setStored(context.objects(of: rows).filter { !$0.isDeletedForGood })
  }

  /// Makes a set of members that are kept as they were read, to find them in.
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

  /// Adds a member; an ordered relationship gets it at the end, or at a place among those that were
  /// read.
  func insert(_ object: NSManagedObject, at index: Int? = nil) {
    didChange()
    makeSet()
    switch members {
    case .set(var set):
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
    // One that undo brought back without its row is in no store, whatever it was before.
    if removed.remove(object) == nil || object.flags.contains(.inserted) {
      added.insert(object)
    } else if isOrdered {
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

  /// Puts the members of an ordered relationship in another order.
  func reorder(_ order: OrderedSet<NSManagedObject>) {
    didChange()
    members = .ordered(MemberOrder(order.elements))
    isReordered = true
  }

  /// The order is no change of its own any more where all members are again as the store has them.
  func forgetOrder(ifStoredAs stored: [NSManagedObject]) {
    guard isReordered, isRead, added.isEmpty, removed.isEmpty,
      objects.elementsEqual(stored, by: ===)
    else { return }
    isReordered = false
  }

  /// Whether the members have to be read before an object is added: it was a member before, in the
  /// store or before the members were let go, and is now to come behind all others.
  func needsReading(toAdd object: NSManagedObject) -> Bool {
    isOrdered && members == nil && (!formerOrder.isEmpty || removed.contains(object))
  }

  /// The members; empty when they were not read.
  var objects: [NSManagedObject] {
    switch members {
    case .list(let list): list
    case .set(let set): Array(set)
    case .ordered(let order): order.objects
    case nil: []
    }
  }

  /// The place of a member of an ordered relationship that was read; nil for others.
  func index(of object: NSManagedObject) -> Int? {
    if case .ordered(let order) = members { order.index(of: object) } else { nil }
  }

  /// The member at a place of an ordered relationship; nil where there is none.
  func object(at index: Int) -> NSManagedObject? {
    guard case .ordered(let order) = members, index >= 0, index < order.count else { return nil }
    return order[index]
  }

  /// Whether members have other places than in the store, or new ones need one: where some were
  /// only removed, the others keep theirs.
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

  /// The same members and changes, apart from this one.
  func copy() -> ToManyContent {
    let copy = ToManyContent(isOrdered: isOrdered)
    copy.members = members
    copy.added = added
    copy.removed = removed
    copy.isReordered = isReordered
    copy.formerOrder = formerOrder
    return copy
  }

  /// Whether another content differs from the stored members in the same.
  func hasSameChanges(as other: ToManyContent) -> Bool {
    guard added.count == other.added.count, removed == other.removed,
      added.allSatisfy(other.added.contains)
    else { return false }
    if !isOrdered || !isReordered && !other.isReordered && added.isEmpty { return true }
    return isRead && other.isRead && objects.elementsEqual(other.objects, by: ===)
  }

  /// Lets go of what was read, to read it anew under the changes; false when there are none.
  func forgetStored() -> Bool {
    guard isChanged else { return false }
    didChange()
    if case .ordered(let order) = members { formerOrder = order.objects }
    members = nil
    rows = nil
    return true
  }

  /// Takes back whatever was done to one member; what was read is to be read anew.
  func forget(_ object: NSManagedObject) {
    didChange()
    added.remove(object)
    removed.remove(object)
  }

  /// The store has the members as they are now.
  func didSave() {
    if isChanged { rows = nil }
    added.removeAll()
    removed = []
    isReordered = false
    formerOrder = []
  }

  /// Returns what is wrong with the members or their changes, or nil. It changes nothing.
  func checkInvariants() -> String? {
    if let fault = added.checkInvariants() { return "added members: \(fault)" }
    if added.contains(where: removed.contains) { return "a member is both added and removed" }
    if isReordered, !isOrdered { return "members without an order are reordered" }
    if case .ordered(let order) = members, let fault = order.checkInvariants() { return fault }
    guard isRead else { return nil }
    let present = Set(objects)
    if !added.allSatisfy(present.contains) { return "an added member is missing" }
    return removed.isDisjoint(with: present) ? nil : "a removed member is still there"
  }
}
