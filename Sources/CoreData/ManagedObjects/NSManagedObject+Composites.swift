extension NSManagedObject {
  /// Returns the slots of a property: those of a composite's elements, or the slot itself.
  final func slotsOfProperty(_ slot: PropertySlot) -> ArraySlice<PropertySlot> {
    if let composite = slot.composite { return layout.slots[layout.slots[composite].elements] }
    return slot.kind == .composite
      ? layout.slots[slot.elements] : layout.slots[slot.index...slot.index]
  }

  /// Returns whether the value of a slot's property differs from the stored one; for an element,
  /// whether any element of its composite does.
  final func isPropertyChanged(_ slot: PropertySlot) -> Bool {
    if slot.composite == nil, slot.kind != .composite { return isChanged(slot) }
    return slotsOfProperty(slot).contains(where: isChanged)
  }

  /// Returns the stored dictionary of a composite attribute.
  final func committedComposite(_ slot: PropertySlot) -> [String: Any]? {
    CompositeValue(slot, in: layout).dictionary {
      AttributeCodec.external(committedValue($0), $0)
    }
  }
}
