/// Creates rows from objects without a context. An app's handler sets the objects' values.
final class ObjectRowFiller: BatchRowFiller {
  private let layout: EntityLayout
  private let needsPresentSlots: Bool
  private let handler: (NSManagedObject) -> Bool
  private let attributes: [PropertySlot]
  private var object: NSManagedObject?

  init(
    _ layout: EntityLayout, needsPresentSlots: Bool, _ handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.layout = layout
    self.needsPresentSlots = needsPresentSlots
    self.handler = handler
    attributes = layout.attributeSlots.map { layout.slots[$0] }.filter { !$0.isTransient }
  }

  func fill(_ values: inout [StoredValue], _ presentSlots: inout [Int]) throws -> Bool {
    let object = nextObject()
    self.object = object
    if handler(object) { return false }
    for slot in attributes {
      values[slot.index] = try AttributeCodec.stored(object.storedValue(slot.index), slot)
    }
    if needsPresentSlots { presentSlots = writtenSlots(of: object) }
    // An object without contents was not written to, so it has no relationships to reject.
    guard !object.contents.isEmpty else { return true }
    for number in layout.toOneSlots + layout.toManySlots
    where object.isChanged(layout.slots[number]) {
      throw BatchInsertion.relationship(layout.slots[number], in: layout)
    }
    return true
  }

  /// Returns an object in its initial state. The last object is reused, unless the handler kept it, used its ID or
  /// inserted it into a context, or it is of a subclass, which may have state of its own.
  private func nextObject() -> NSManagedObject {
    // Counts the references first, because `if let` adds one.
    if isKnownUniquelyReferenced(&self.object), let object,
      type(of: object) == NSManagedObject.self,
      object.key == 0, !object.hasTable
    {
      object.state.wasReset()
      AssociatedObjects.removeAll(of: object)
      return object
    }
    return layout.managedObjectClass.init(entity: layout.entity, insertInto: nil)
  }

  /// Returns the attributes that a handler set in a new object.
  private func writtenSlots(of object: NSManagedObject) -> [Int] {
    if object.contents.isEmpty { return [] }
    return layout.attributeSlots.filter { slot in
      guard BatchInsertion.isWritable(layout.slots[slot]), case .written = object.contents[slot]
      else { return false }
      return true
    }.sorted()
  }
}
