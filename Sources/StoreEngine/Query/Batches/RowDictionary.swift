/// The dictionary that the handler of a batch insertion fills in. It keeps each value where the attribute
/// lies and makes no objects of texts and numbers, which is most of what Foundation's own takes.
///
/// Foundation turns only its own classes into a Swift `Dictionary`; of this one the cast makes an empty
/// one.
package final class RowDictionary: NSMutableDictionary {
  private var slotNumbers: [String: Int] = [:]
  /// By slot number: what was set.
  package private(set) var values: [Any?] = []
  /// What was set under names that the entity does not have.
  private var others: [AnyHashable: Any] = [:]

  package convenience init(_ layout: EntityLayout) {
    self.init()
    slotNumbers = layout.slotNumbers
    values = Array(repeating: nil, count: layout.slots.count)
  }

  private func slot(_ key: Any) -> Int? { (key as? String).flatMap { slotNumbers[$0] } }

  package override var count: Int { values.count { $0 != nil } + others.count }

  package override func object(forKey aKey: Any) -> Any? {
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

  // Foundation's own look into storage that this dictionary does not have.

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
