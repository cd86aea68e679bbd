/// Has a program's handler set the values of one object after the other, of which no context knows.
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
    guard !object.contents.isEmpty else { return true }
    for number in layout.toOneSlots + layout.toManySlots
    where object.isChanged(layout.slots[number]) {
      throw BatchInsertion.relationship(layout.slots[number], in: layout)
    }
    return true
  }

  /// An object as new. The last one serves again, unless it may have a state that is not known here or
  /// somebody kept it.
  private func nextObject() -> NSManagedObject {
    if let object, type(of: object) == NSManagedObject.self, isKnownUniquelyReferenced(&self.object)
    {
      object.state.wasReset()
      return object
    }
    return layout.managedObjectClass.init(entity: layout.entity, insertInto: nil)
  }

  /// The attributes that a handler set in an object that was new.
  private func writtenSlots(of object: NSManagedObject) -> [Int] {
    if object.contents.isEmpty { return [] }
    return layout.attributeSlots.filter { slot in
      guard BatchInsertion.isWritable(layout.slots[slot]), case .written = object.contents[slot]
      else { return false }
      return true
    }.sorted()
  }
}
