import OrderedCollections

/// A mutable ordered set that shows the members of an ordered relationship and changes the relationship.
///
/// Foundation's ordered sets keep their members in private storage and have parts that cannot be
/// overridden (`array`, `firstObject`). So this class keeps a copy of the members in that storage. Overridden
/// methods read and change the relationship itself. After each change, the copy is filled again, except that adding,
/// inserting or removing one member applies the same step to the copy.
final class LiveOrderedSet: NSMutableOrderedSet {
  private let members: LiveMembers?
  /// The content that Foundation's copy was filled from, and the content's revision at that time.
  private var shown: (content: ToManyContent, revision: Int)?
  /// Whether Foundation is accessing its copy.
  private var isSyncing = false

  private init(_ object: NSManagedObject, _ slot: Int) {
    members = LiveMembers(object: object, slot: slot)
    super.init(capacity: 0)
    show()
    shown?.content.liveSet = self
  }

  /// Returns the live set of a relationship: the one in use, after updating it, or a new one.
  static func of(_ object: NSManagedObject, _ slot: Int) -> LiveOrderedSet {
    guard let content = LiveMembers(object: object, slot: slot).content,
      let known = content.liveSet
    else { return LiveOrderedSet(object, slot) }
    // A set that is in use is returned again, because filling a new copy costs O(n).
    known.show()
    return known
  }

  override init(capacity numItems: Int) {
    members = nil
    super.init(capacity: numItems)
  }

  override init(objects: UnsafePointer<AnyObject>?, count: Int) {
    members = nil
    super.init(objects: objects, count: count)
  }

  required convenience init?(coder: NSCoder) { return nil }
  required convenience init(arrayLiteral elements: Any...) {
    self.init(capacity: 0)
    for element in elements { super.insert(element, at: super.count) }
  }

  private var current: [NSManagedObject] { members?.objects ?? [] }

  /// Updates Foundation's copy.
  private func show() {
    guard let content = members?.content else { return }
    if let shown, shown.content === content, shown.revision == content.revision { return }
    onCopy {
      super.removeAllObjects()
      super.addObjects(from: content.objects)
    }
    shown = (content, content.revision)
  }

  private func onCopy(_ body: () -> Void) {
    isSyncing = true
    body()
    isSyncing = false
  }

  /// Replaces all members of the relationship.
  private func change(_ body: (inout [Any]) -> Void) {
    var objects: [Any] = current
    body(&objects)
    members?.set(objects)
    didChange()
  }

  /// Changes one member. If nothing else changed, applies the same step to the copy instead of filling it again.
  private func step(_ change: (LiveMembers) -> Void, onCopy copyChange: () -> Void) {
    guard let members else { return }
    show()
    let before = shown
    change(members)
    // If anything else changed, such as the members that a to-one inverse displaced, `didChange`
    // fills the copy again.
    if let before, let content = members.content, content === before.content,
      content.revision == before.revision &+ 1
    {
      onCopy(copyChange)
      shown = (content, content.revision)
    }
    didChange()
  }

  private func didChange() {
    show()
    // The context keeps the set until it processes its changes, because a program that changes members
    // one by one gets the set again each time.
    members?.object.unsafeContext?.announcing.setLiveSetInUse(self)
  }

  // MARK: Reading

  override var count: Int {
    guard let members, !isSyncing else { return super.count }
    return members.content?.count ?? 0
  }

  override func object(at index: Int) -> Any {
    guard let members, !isSyncing, let object = members.content?.object(at: index) else {
      return super.object(at: index)
    }
    return object
  }

  override func index(of object: Any) -> Int {
    guard let members, !isSyncing else { return super.index(of: object) }
    guard let object = object as? NSManagedObject else { return NSNotFound }
    return members.content?.index(of: object) ?? NSNotFound
  }

  override func contains(_ object: Any) -> Bool {
    guard let members, !isSyncing else { return super.contains(object) }
    return (object as? NSManagedObject).map(members.contains) ?? false
  }

  override func copy(with zone: NSZone? = nil) -> Any {
    members == nil ? super.copy(with: zone) : NSOrderedSet(array: current)
  }

  override func mutableCopy(with zone: NSZone? = nil) -> Any {
    members == nil ? super.mutableCopy(with: zone) : NSMutableOrderedSet(array: current)
  }

  // MARK: Adding

  override func insert(_ object: Any, at index: Int) {
    guard members != nil, !isSyncing else { return super.insert(object, at: index) }
    if contains(object) { return }
    step({ $0.insert(object, at: index) }, onCopy: { super.insert(object, at: index) })
  }

  override func insert(_ objects: [Any], at indexes: IndexSet) {
    change { members in
      for (object, index) in zip(objects, indexes) { members.insert(object, at: index) }
    }
  }

  override func add(_ object: Any) { append([object]) }
  override func addObjects(from array: [Any]) { append(array) }
  override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
    append(Array(UnsafeBufferPointer(start: objects, count: count)))
  }
  override func union(_ other: NSOrderedSet) { append(other.array) }
  override func unionSet(_ other: Set<AnyHashable>) { append(other.map(\.base)) }

  private func append(_ objects: [Any]) {
    guard let members else { return super.addObjects(from: objects) }
    if objects.count == 1 {
      step({ $0.add(objects) }, onCopy: { super.insert(objects[0], at: super.count) })
    } else {
      members.add(objects)
      didChange()
    }
  }

  // MARK: Removing

  override func removeObject(at index: Int) {
    guard members != nil, !isSyncing else { return super.removeObject(at: index) }
    drop([object(at: index)])
  }

  override func remove(_ object: Any) { drop([object]) }
  override func removeObjects(in array: [Any]) { drop(array) }
  override func minus(_ other: NSOrderedSet) { drop(other.array) }
  override func minusSet(_ other: Set<AnyHashable>) { drop(other.map(\.base)) }
  override func intersect(_ other: NSOrderedSet) { drop(current.filter { !other.contains($0) }) }
  override func intersectSet(_ other: Set<AnyHashable>) {
    drop(current.filter { !other.contains(AnyHashable($0)) })
  }
  override func removeObjects(at indexes: IndexSet) {
    // The members are looked up first, because removing one moves the others.
    let objects = current
    drop(indexes.map { objects[$0] })
  }
  override func removeObjects(in range: NSRange) {
    drop(Array(current[range.lowerBound..<range.upperBound]))
  }
  override func removeAllObjects() {
    guard members != nil, !isSyncing else { return super.removeAllObjects() }
    change { $0 = [] }
  }

  private func drop(_ objects: [Any]) {
    guard let members else {
      for object in objects { super.remove(object) }
      return
    }
    if objects.count == 1 {
      let index = index(of: objects[0])
      if index == NSNotFound { return }
      step({ $0.remove(objects) }, onCopy: { super.removeObject(at: index) })
    } else {
      members.remove(objects)
      didChange()
    }
  }

  // MARK: Replacing and ordering

  override func replaceObject(at index: Int, with object: Any) {
    guard members != nil, !isSyncing else { return super.replaceObject(at: index, with: object) }
    change { $0[index] = object }
  }
  override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
    change { members in
      for (object, index) in zip(objects, indexes) { members[index] = object }
    }
  }
  override func replaceObjects(
    in range: NSRange, with objects: UnsafePointer<AnyObject>!, count: Int
  ) {
    let replacement = Array(UnsafeBufferPointer<AnyObject>(start: objects, count: count))
    change { $0.replaceSubrange(range.lowerBound..<range.upperBound, with: replacement) }
  }
  override func setObject(_ object: Any, at index: Int) {
    if index == count { insert(object, at: index) } else { replaceObject(at: index, with: object) }
  }
  override func exchangeObject(at first: Int, withObjectAt second: Int) {
    change { $0.swapAt(first, second) }
  }
  override func moveObjects(at indexes: IndexSet, to index: Int) {
    change { members in
      let moved = indexes.map { members[$0] }
      for index in indexes.reversed() { members.remove(at: index) }
      members.insert(contentsOf: moved, at: index)
    }
  }
  override func sortRange(
    _ range: NSRange, options: NSSortOptions = [],
    usingComparator comparator: (Any, Any) -> ComparisonResult
  ) {
    change { members in
      let part = range.lowerBound..<range.upperBound
      let sorted = NSArray(array: Array(members[part])).sortedArray(
        options: options, usingComparator: comparator)
      members.replaceSubrange(part, with: sorted)
    }
  }
  override func sort(comparator: (Any, Any) -> ComparisonResult) {
    sortRange(NSRange(location: 0, length: count), options: [], usingComparator: comparator)
  }
  override func sort(using sortDescriptors: [Foundation.NSSortDescriptor]) {
    let sorted = NSArray(array: current).sortedArray(using: sortDescriptors)
    change { $0 = sorted }
  }
  override func sort(
    options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult
  ) {
    sortRange(NSRange(location: 0, length: count), options: options, usingComparator: comparator)
  }
}
