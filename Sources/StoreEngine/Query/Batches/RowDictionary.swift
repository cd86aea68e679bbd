/// The dictionary that the handler of a batch insertion fills in. It stores values by slot. Unlike Foundation's
/// dictionary, it creates no objects for strings and numbers; their creation would take most of the time.
///
/// Foundation can convert only dictionaries of its own classes to a Swift `Dictionary`. A cast of this dictionary
/// results in an empty one.
package final class RowDictionary: NSMutableDictionary {
  private var slotNumbers: [String: Int] = [:]
  /// The values by slot number; nil for properties that the handler has not set.
  package private(set) var values: [Any?] = []
  /// The values for names that are not properties of the entity.
  private var others: [AnyHashable: Any] = [:]

  package convenience init(_ layout: EntityLayout) {
    self.init()
    slotNumbers = layout.slotNumbers
    values = Array(repeating: nil, count: layout.slots.count)
  }

  private func slot(_ key: Any) -> Int? { (key as? String).flatMap { slotNumbers[$0] } }

  package override var count: Int { values.count { $0 != nil } + others.count }

  package override func object(forKey aKey: Any) -> Any? {
    // Foundation's dictionary would return each number as an `NSNumber`, whatever its type was when the handler set it.
    if let slot = slot(aKey) { return BridgedValue.bridgedNumber(values[slot]) }
    return (aKey as? AnyHashable).flatMap { others[$0] }
  }

  package override func setObject(_ anObject: Any, forKey aKey: AnyHashable) {
    if let slot = slot(aKey.base) { values[slot] = anObject } else { others[aKey] = anObject }
  }

  package override func removeObject(forKey aKey: Any) {
    if let slot = slot(aKey) {
      values[slot] = nil
    } else if let key = aKey as? AnyHashable {
      others[key] = nil
    }
  }

  package override func removeAllObjects() {
    for slot in values.indices { values[slot] = nil }
    if !others.isEmpty { others = [:] }
  }

  // The methods below are overridden, because Foundation's implementations read storage that this dictionary does not
  // have.

  private var present: [AnyHashable: Any] {
    var present = others
    for (name, slot) in slotNumbers { present[name] = values[slot] }
    return present
  }

  package override var allKeys: [Any] { present.keys.map(\.base) }
  package override var allValues: [Any] { Array(present.values) }
  package override func keyEnumerator() -> NSEnumerator {
    NSArray(array: allKeys).objectEnumerator()
  }
  package override func copy(with zone: NSZone? = nil) -> Any { NSDictionary(dictionary: present) }
  package override func mutableCopy(with zone: NSZone? = nil) -> Any {
    NSMutableDictionary(dictionary: present)
  }
}
