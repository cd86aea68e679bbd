extension NSManagedObject {
  final var objectDescription: String {
    let state = flags.contains(.fault) ? "<fault>" : "\(propertyDescriptions)"
    return
      "<\(layout.entity.managedObjectClassName ?? "NSManagedObject")> (entity: \(layout.name); id: \(ownID.uriRepresentation().absoluteString); data: \(state))"
  }

  private var propertyDescriptions: String {
    let attributes = layout.slots.filter {
      $0.composite == nil && ($0.storage != nil || $0.kind == .composite)
    }
    let parts = attributes.map(\.index).map { slot in
      let value = externalValue(slot)
      // Foundation cannot print a date that is not finite.
      if let date = value as? Date, !date.timeIntervalSinceReferenceDate.isFinite {
        return "\(layout.slots[slot].name) = (no date)"
      }
      return "\(layout.slots[slot].name) = \(MessageText.description(of: value))"
    }
    return "{ " + parts.joined(separator: "; ") + " }"
  }
}
