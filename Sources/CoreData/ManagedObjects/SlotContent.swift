import Foundation
import OrderedCollections

/// What an object keeps of its own for a slot, beside the row it came from.
enum SlotContent {
  /// Nothing: the row or the default value says it.
  case unread
  /// Made from the row and kept because making it costs: a transformed value, the destination of
  /// a to-one relationship.
  case cached(StoredValue)
  case cachedObject(NSManagedObject)
  /// Set since the object was fetched or saved.
  case written(StoredValue)
  case writtenObject(NSManagedObject?)
  case toMany(ToManyContent)
}

/// The members of a to-many relationship of one object.
///
/// Kept as a change against what the store has, so that members can be added to and taken from a
/// relationship that was not read.
final class ToManyContent {
  let isOrdered: Bool
  /// The members, once they were read.
  private(set) var members: Members?
  /// Members that the store does not have, and those that only the store still has.
  private(set) var added = ChangeList()
  private(set) var removed: Set<NSManagedObject> = []
  private(set) var isReordered = false
  /// The public form, made when asked for.
  private var publicForm: NSObject?
  /// The order before the members were let go, which new ones are put behind.
  private var formerOrder: OrderedSet<NSManagedObject> = []

  enum Members {
    case set(Set<NSManagedObject>)
    case ordered(OrderedSet<NSManagedObject>)
  }

  init(isOrdered: Bool) { self.isOrdered = isOrdered }

  var isRead: Bool { members != nil }
  var isChanged: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

  /// Takes what the store has; the changes are applied to it.
  func read(_ stored: [NSManagedObject]) {
    if isOrdered {
      var order = OrderedSet(stored)
      for object in removed { order.remove(object) }
      if !formerOrder.isEmpty {
        let present = order
        order = formerOrder.filter { present.contains($0) || added.contains($0) }
        order.append(contentsOf: present)
        formerOrder = []
      }
      // Objects added while unread go to the end, in the order in which they were added.
      for object in added { order.append(object) }
      members = .ordered(order)
    } else {
      var set = Set(stored)
      set.subtract(removed)
      set.formUnion(added)
      members = .set(set)
    }
    publicForm = nil
  }

  func contains(_ object: NSManagedObject) -> Bool {
    switch members {
    case .set(let set): set.contains(object)
    case .ordered(let order): order.contains(object)
    case nil: added.contains(object)
    }
  }

  /// Adds a member; an ordered relationship gets it at the end.
  func insert(_ object: NSManagedObject) {
    publicForm = nil
    switch members {
    case .set(var set):
      members = nil
      let isNew = set.insert(object).inserted
      members = .set(set)
      if !isNew { return }
    case .ordered(var order):
      members = nil
      let isNew = order.append(object).inserted
      members = .ordered(order)
      if !isNew { return }
    case nil: break
    }
    if removed.remove(object) == nil {
      added.insert(object)
    } else if isOrdered {
      isReordered = true
    }
  }

  func remove(_ object: NSManagedObject) {
    publicForm = nil
    switch members {
    case .set(var set):
      members = nil
      let wasThere = set.remove(object) != nil
      members = .set(set)
      if !wasThere { return }
    case .ordered(var order):
      members = nil
      let wasThere = order.remove(object) != nil
      members = .ordered(order)
      if !wasThere { return }
    case nil: break
    }
    if !added.remove(object) { removed.insert(object) }
  }

  /// Puts the members of an ordered relationship in another order.
  func reorder(_ order: OrderedSet<NSManagedObject>) {
    publicForm = nil
    members = .ordered(order)
    isReordered = true
  }

  /// The members; empty when they were not read.
  var objects: [NSManagedObject] {
    switch members {
    case .set(let set): Array(set)
    case .ordered(let order): Array(order)
    case nil: []
    }
  }

  /// The members in order; of a relationship without order, in any.
  var ordered: OrderedSet<NSManagedObject> {
    if case .ordered(let order) = members { order } else { OrderedSet(objects) }
  }

  var count: Int {
    switch members {
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

  /// Lets go of what was read, to read it anew under the changes; false when there are none.
  func forgetStored() -> Bool {
    guard isChanged else { return false }
    publicForm = nil
    if case .ordered(let order) = members { formerOrder = order }
    members = nil
    return true
  }

  /// Takes back whatever was done to one member.
  func forget(_ object: NSManagedObject) {
    publicForm = nil
    added.remove(object)
    removed.remove(object)
  }

  /// The store has the members as they are now.
  func didSave() {
    added.removeAll()
    removed = []
    isReordered = false
  }
}
