// Primitive access to the object's own storage, for custom accessors.

extension NSManagedObject {
  /// Returns the primitive value of a slot. If the object is a fault, this may read its row, but does not fill the
  /// fault, except for a fetched property.
  final func primitive(_ slot: Int) -> Any? {
    requireQueue()
    let property = layout.slots[slot]
    if flags.contains(.recording) { return KeyPathProbe.value(for: self, property) }
    do {
      switch property.kind {
      case .attribute:
        return AttributeCodec.external(try storedValue(slot), property)
      case .toOne: return try toOneObject(slot)
      case .toMany:
        let members = try toManyObjects(slot)
        let collection: NSObject =
          property.relationship?.isOrdered == true
          ? NSMutableOrderedSet(array: members) : NSMutableSet(array: members)
        noteMutableCollection(collection, slot)
        return collection
      case .fetched: return externalValue(slot)
      case .composite:
        return CompositeValue(property, in: layout).dictionary { primitive($0.index) }
      }
    } catch {
      return inaccessible(error)
    }
  }

  /// Sets a slot without recording the change in the context, and without updating the inverse.
  final func setPrimitive(_ value: Any?, _ slot: Int) throws {
    requireQueue()
    let property = layout.slots[slot]
    try readRow()
    willChangeContent(slot)
    // Discards changes to a collection that `primitiveValue(forKey:)` returned before.
    noteMutableCollection(nil, slot)
    switch property.kind {
    case .attribute:
      // As in Apple's Core Data, setting a primitive value of an unchanged object is not a change
      // (`PrimitiveChangeTests`), so the context is not notified.
      setContent(slot, .written(try AttributeCodec.kept(value, property, in: layout)))
    case .toOne:
      setContent(slot, .writtenObject(try RelationshipCodec.object(value, property, in: layout)))
    case .toMany:
      let objects = try RelationshipCodec.objects(value, property, in: layout)
      let content = try toManyContent(slot)
      for object in content.objects where !objects.contains(object) { content.remove(object) }
      for object in objects { content.insert(object) }
      if content.isOrdered, !content.objects.elementsEqual(objects, by: ===) {
        content.reorder(objects)
      }
    case .composite:
      for (element, value) in try CompositeValue(property, in: layout).values(of: value) {
        try setPrimitive(value, element.index)
      }
    case .fetched:
      throw CoreDataError.badRequest(
        "\(layout.name).\(property.name) is a fetched property and cannot be set")
    }
  }
}
