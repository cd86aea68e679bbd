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

  /// Sets the unset elements of changed composite attributes to the values in the row. A composite attribute is one
  /// property, so if the context changed it, a newer row must not change any of its elements.
  final func setWholeComposites() {
    if contents.isEmpty { return }
    for slot in layout.slots
    where slot.composite != nil && !slot.isTransient && !content(slot.index).isWritten
      && isPropertyChanged(slot)
    {
      let value = committedValue(slot)
      // A value that cannot be read stays in the row, because setting NULL would remove it.
      if value.isNull, snapshot.hasValue(of: slot, in: layout) { continue }
      setContent(slot.index, .written(value))
    }
  }

  /// Returns the stored dictionary of a composite attribute.
  final func committedComposite(_ slot: PropertySlot) -> [String: Any]? {
    CompositeValue(slot, in: layout).dictionary {
      AttributeCodec.external(committedValue($0), $0)
    }
  }
}
