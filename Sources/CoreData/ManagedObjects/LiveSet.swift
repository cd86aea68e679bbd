/// A mutable set that shows the members of a to-many relationship and changes the relationship.
///
/// Foundation converts only its own classes to a Swift `Set`: casting this one results in an empty set.
final class LiveSet: NSMutableSet {
  private let members: LiveMembers?

  init(_ object: NSManagedObject, _ slot: Int) {
    members = LiveMembers(object: object, slot: slot)
    super.init(capacity: 0)
  }

  // Foundation requires these initializers. The sets that they create are empty and belong to no relationship.
  required init(capacity numItems: Int) {
    members = nil
    super.init(capacity: 0)
  }

  override init(objects: UnsafePointer<AnyObject>!, count: Int) {
    members = nil
    super.init(objects: objects, count: 0)
  }

  required convenience init?(coder: NSCoder) { return nil }

  override var count: Int { members?.content?.count ?? 0 }

  override func member(_ object: Any) -> Any? {
    guard let object = object as? NSManagedObject, members?.contains(object) == true else {
      return nil
    }
    return object
  }

  override func objectEnumerator() -> NSEnumerator {
    // The array is a copy, so the relationship may change during the enumeration.
    NSArray(array: members?.objects ?? []).objectEnumerator()
  }

  override func add(_ object: Any) { members?.add([object]) }
  override func remove(_ object: Any) { members?.remove([object]) }
  override func addObjects(from array: [Any]) { members?.add(array) }
  override func union(_ otherSet: Set<AnyHashable>) { members?.add(otherSet.map(\.base)) }
  override func minus(_ otherSet: Set<AnyHashable>) { members?.remove(otherSet.map(\.base)) }
  override func removeAllObjects() { members?.set([]) }
  override func setSet(_ otherSet: Set<AnyHashable>) { members?.set(otherSet.map(\.base)) }

  override func intersect(_ otherSet: Set<AnyHashable>) {
    members?.remove((members?.objects ?? []).filter { !otherSet.contains(AnyHashable($0)) })
  }

  // Foundation's implementations would read storage that this set does not have.
  override var allObjects: [Any] { members?.objects ?? [] }
  override func isEqual(_ value: Any?) -> Bool {
    guard let other = value as? NSSet else {
      return (value as? Set<AnyHashable>).map(isEqual(to:)) ?? false
    }
    return other.count == count && other.allObjects.allSatisfy { contains($0) }
  }
  override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: allObjects) }
  override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: allObjects) }
  override func description(withLocale locale: Locale?) -> String {
    NSSet(array: allObjects).description(withLocale: locale)
  }
}

/// The members that a live collection shows.
struct LiveMembers {
  let object: NSManagedObject
  let slot: Int

  /// The members, read if necessary; nil if they cannot be read.
  var content: ToManyContent? {
    object.requireQueue()
    do {
      try object.fire()
      return try object.toManyContent(slot)
    } catch {
      _ = object.inaccessible(error)
      return nil
    }
  }

  var objects: [NSManagedObject] { content?.objects ?? [] }

  func contains(_ member: NSManagedObject) -> Bool { content?.contains(member) ?? false }

  func add(_ members: [Any]) {
    change(members) { try object.addMembers(slot, $0) }
  }

  /// Inserts a member into an ordered relationship at an index.
  func insert(_ member: Any, at index: Int) {
    change([member]) { for member in $0 { try object.insertMember(slot, member, at: index) } }
  }

  func remove(_ members: [Any]) {
    // Removing a value that cannot be a member has no effect. The check of members would stop the
    // program.
    change(members.filter { $0 is NSManagedObject }) { try object.removeMembers(slot, $0) }
  }

  /// Replaces the members, in the given order if the relationship is ordered.
  func set(_ members: [Any]) {
    change(members) { try object.setExternalValue(NSArray(array: $0), slot) }
  }

  /// Stops the program if a member has a different entity or context, as setting the relationship
  /// does.
  private func change(_ members: [Any], _ body: ([NSManagedObject]) throws -> Void) {
    object.requireQueue()
    do {
      let property = object.layout.slots[slot]
      try object.fire()
      object.willChangeContent(slot)
      let checked = try RelationshipCodec.objects(
        NSArray(array: members), property, in: object.layout)
      try body(Array(checked))
    } catch let error as NSError where error.code == NSCoreDataError {
      stopProgram(error.localizedDescription)
    } catch {
      _ = object.inaccessible(error)
    }
  }
}
