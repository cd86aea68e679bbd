import Foundation

/// A context's objects by their row: one object a row, held weakly.
struct ObjectRegistry {
  /// By index of the root entity, then by primary key.
  private var tables: [Int: [Int64: Entry]] = [:]
  private var count = 0
  private var sweepAt = 1024

  private struct Entry {
    weak var object: NSManagedObject?
  }

  subscript(root: EntityLayout, key: Int64) -> NSManagedObject? { tables[root.index]?[key]?.object }

  mutating func insert(_ object: NSManagedObject) {
    let root = object.layout.root.index
    if tables[root, default: [:]].updateValue(Entry(object: object), forKey: object.identifiedKey)
      == nil
    {
      count += 1
      if count >= sweepAt { sweep() }
    }
  }

  mutating func remove(root: EntityLayout, key: Int64) {
    if tables[root.index]?.removeValue(forKey: key) != nil { count -= 1 }
  }

  mutating func removeAll() {
    tables = [:]
    count = 0
    sweepAt = 1024
  }

  /// All objects that are still in use.
  var objects: [NSManagedObject] {
    tables.values.flatMap { $0.values.compactMap(\.object) }
  }

  /// Drops the entries of objects that are gone; seldom enough to cost O(1) an insertion.
  private mutating func sweep() {
    for root in tables.keys { tables[root] = tables[root]?.filter { $0.value.object != nil } }
    count = tables.values.reduce(0) { $0 + $1.count }
    sweepAt = max(1024, count * 2)
  }
}
