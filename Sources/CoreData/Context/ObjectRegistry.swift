import Foundation

/// A context's objects by their row: one object a row, held weakly.
struct ObjectRegistry {
  /// By table and store, then by primary key.
  private var tables: [Table: [Int64: Entry]] = [:]
  private var count = 0
  private var sweepAt = 1024

  private struct Entry {
    weak var object: NSManagedObject?
  }

  /// Two stores may keep the same entity, and each counts its keys from 1.
  private struct Table: Hashable {
    let root: Int
    let origin: ObjectIdentifier

    init(_ layout: EntityLayout, _ origin: StoreOrigin) {
      root = layout.root.index
      self.origin = ObjectIdentifier(origin)
    }
  }

  /// The object of a row of an entity's table.
  subscript(layout: EntityLayout, key: Int64, origin: StoreOrigin) -> NSManagedObject? {
    tables[Table(layout, origin)]?[key]?.object
  }

  /// Adds an object; one that stood for the same row before is let go.
  mutating func insert(_ object: NSManagedObject) {
    let key = object.identifiedKey
    let old = tables[Table(object.layout, object.origin), default: [:]].updateValue(
      Entry(object: object), forKey: key)
    if let other = old?.object, other !== object { other.leaveContext() }
    if old == nil {
      count += 1
      if count >= sweepAt { sweep() }
    }
  }

  /// Takes an object out, by the key and store that it has now.
  mutating func remove(_ object: NSManagedObject) {
    let table = Table(object.layout, object.origin)
    guard let known = tables[table]?[object.key], known.object == nil || known.object === object
    else { return }
    tables[table]?.removeValue(forKey: object.key)
    count -= 1
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
