/// Objects in the order of their insertion. Adding, removing and looking up an object are O(1).
///
/// The index is built by the first lookup. A list that is only appended to and iterated, such as a
/// million inserted objects, costs no more than an array.
struct ChangeList: Sequence {
  /// The objects; nil in place of each removed object.
  private var slots: [NSManagedObject?] = []
  private(set) var count = 0
  private var index: Index?

  /// The positions of objects in the first slots. Copies of a list share an index until one changes.
  private final class Index {
    var positions: [ObjectIdentifier: Int] = [:]
    /// How many slots the index covers.
    var slotCount = 0

    init() {}

    init(_ other: Index) {
      positions = other.positions
      slotCount = other.slotCount
    }
  }

  var isEmpty: Bool { count == 0 }

  func contains(_ object: NSManagedObject) -> Bool { position(of: object) != nil }

  private func position(of object: NSManagedObject) -> Int? {
    // The first append makes an index, so a list without an index is empty.
    guard count > 0, let index else { return nil }
    // Copies of a list that share an index have the same slots, because a list copies a shared
    // index before it changes its slots. So the extended index is correct for all of these copies.
    while index.slotCount < slots.count {
      if let object = slots[index.slotCount] {
        index.positions[ObjectIdentifier(object)] = index.slotCount
      }
      index.slotCount += 1
    }
    return index.positions[ObjectIdentifier(object)]
  }

  /// Appends an object unless the list contains it, and returns whether it was appended.
  @discardableResult
  mutating func insert(_ object: NSManagedObject) -> Bool {
    if contains(object) { return false }
    append(object)
    return true
  }

  /// Appends an object that the caller knows to be missing.
  mutating func append(_ object: NSManagedObject) {
    ownIndex()
    slots.append(object)
    count += 1
  }

  @discardableResult
  mutating func remove(_ object: NSManagedObject) -> Bool {
    guard let position = position(of: object) else { return false }
    ownIndex()
    index?.positions[ObjectIdentifier(object)] = nil
    // Leaves a hole: closing it would change the positions of all later objects in the index.
    slots[position] = nil
    count -= 1
    // Removes the holes once they are the majority, so that n removals cost O(n) in total.
    if slots.count > 32, count * 2 < slots.count { removeAll { _ in false } }
    return true
  }

  /// Removes the objects that satisfy a condition. O(n).
  mutating func removeAll(where isGoing: (NSManagedObject) -> Bool) {
    slots.removeAll { $0.map(isGoing) ?? true }
    count = slots.count
    index = slots.isEmpty ? nil : Index()
  }

  mutating func removeAll() { self = ChangeList() }

  private mutating func ownIndex() {
    if !isKnownUniquelyReferenced(&index) { index = index.map(Index.init) ?? Index() }
  }

  struct Iterator: IteratorProtocol {
    fileprivate var slots: IndexingIterator<[NSManagedObject?]>

    mutating func next() -> NSManagedObject? {
      while let slot = slots.next() {
        if let slot { return slot }
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(slots: slots.makeIterator()) }

  var underestimatedCount: Int { count }

  var objects: [NSManagedObject] { Array(self) }

  var set: Set<NSManagedObject> { Set(self) }

  /// Returns a description of an inconsistency between the objects, their count and the index, or
  /// nil. Changes nothing, and does not extend the index.
  func checkInvariants() -> String? {
    let present = slots.compactMap(\.self)
    if present.count != count { return "the list has \(present.count) objects instead of \(count)" }
    if Set(present).count != count { return "the list has an object twice" }
    guard let index else { return nil }
    guard index.slotCount <= slots.count else { return "the index is longer than the list" }
    var known: [ObjectIdentifier: Int] = [:]
    for (position, object) in slots[..<index.slotCount].enumerated() {
      if let object { known[ObjectIdentifier(object)] = position }
    }
    return known == index.positions ? nil : "the index does not match the positions of the objects"
  }

  /// Returns a description of an inconsistency in one of several named lists, or nil.
  static func checkInvariants(of lists: KeyValuePairs<String, ChangeList>) -> String? {
    for (name, list) in lists {
      if let problem = list.checkInvariants() { return "\(name) objects: \(problem)" }
    }
    return nil
  }
}
