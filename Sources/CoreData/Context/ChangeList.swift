import Foundation

/// Objects in the order in which they were added; adding, removing and asking are O(1).
struct ChangeList: Sequence {
  private var positions: [ObjectIdentifier: Int] = [:]
  private var slots: [NSManagedObject?] = []

  var count: Int { positions.count }
  var isEmpty: Bool { positions.isEmpty }

  func contains(_ object: NSManagedObject) -> Bool { positions[ObjectIdentifier(object)] != nil }

  /// Adds an object at the end; false when it was there.
  @discardableResult
  mutating func insert(_ object: NSManagedObject) -> Bool {
    if contains(object) { return false }
    positions[ObjectIdentifier(object)] = slots.count
    slots.append(object)
    return true
  }

  @discardableResult
  mutating func remove(_ object: NSManagedObject) -> Bool {
    guard let position = positions.removeValue(forKey: ObjectIdentifier(object)) else {
      return false
    }
    slots[position] = nil
    if slots.count > 32, positions.count * 2 < slots.count { compact() }
    return true
  }

  mutating func removeAll() {
    positions.removeAll()
    slots.removeAll()
  }

  private mutating func compact() {
    slots = slots.filter { $0 != nil }
    for (position, object) in slots.enumerated() {
      if let object { positions[ObjectIdentifier(object)] = position }
    }
  }

  func makeIterator() -> AnyIterator<NSManagedObject> {
    var iterator = slots.makeIterator()
    return AnyIterator {
      while let slot = iterator.next() {
        if let slot { return slot }
      }
      return nil
    }
  }

  var set: Set<NSManagedObject> { Set(self) }
}
