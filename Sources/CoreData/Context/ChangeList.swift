/// Objects in the order in which they were added; adding, removing and asking are O(1).
///
/// Where an object lies is found out when somebody asks: a list that only grows and is gone through,
/// as that of objects that a program inserts by the million, is an array.
struct ChangeList: Sequence {
  /// The objects; nil where one was removed.
  private var slots: [NSManagedObject?] = []
  private(set) var count = 0
  private var index: Index?

  /// Where the objects of the first slots lie. Copies of a list share it until one is changed.
  private final class Index {
    var positions: [ObjectIdentifier: Int] = [:]
    /// How many slots were looked at.
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
    guard count > 0, let index else { return nil }
    while index.slotCount < slots.count {
      if let object = slots[index.slotCount] {
        index.positions[ObjectIdentifier(object)] = index.slotCount
      }
      index.slotCount += 1
    }
    return index.positions[ObjectIdentifier(object)]
  }

  /// Adds an object at the end; false when it was there.
  @discardableResult
  mutating func insert(_ object: NSManagedObject) -> Bool {
    if contains(object) { return false }
    append(object)
    return true
  }

  /// Adds an object that is known not to be there.
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
    slots[position] = nil
    count -= 1
    if slots.count > 32, count * 2 < slots.count { removeAll { _ in false } }
    return true
  }

  /// Removes some objects, going through all.
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

  /// The objects in their order.
  var objects: [NSManagedObject] { Array(self) }

  var set: Set<NSManagedObject> { Set(self) }

  /// Returns what is wrong with the objects or their index, or nil. It changes nothing, and looks at no more slots than
  /// were looked at.
  func checkInvariants() -> String? {
    let present = slots.compactMap(\.self)
    if present.count != count { return "\(present.count) objects are there instead of \(count)" }
    if Set(present).count != count { return "an object is there twice" }
    guard let index else { return nil }
    guard index.slotCount <= slots.count else { return "the index is longer than the list" }
    var known: [ObjectIdentifier: Int] = [:]
    for (position, object) in slots[..<index.slotCount].enumerated() {
      if let object { known[ObjectIdentifier(object)] = position }
    }
    return known == index.positions ? nil : "the index has other places than the objects"
  }

  /// Returns what is wrong with lists, by their names, or nil.
  static func checkInvariants(of lists: KeyValuePairs<String, ChangeList>) -> String? {
    for (name, list) in lists {
      if let fault = list.checkInvariants() { return "\(name) objects: \(fault)" }
    }
    return nil
  }
}
