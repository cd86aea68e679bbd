// A uniqueness constraint may contain a derived attribute that normalizes a string of the same row, such as
// `lowercase:(email)`. The object's value of this attribute is that of the last save, so it is computed from the
// string.

extension NSManagedObject {
  /// Returns the values that a save writes for some properties, with IDs for destinations and `NSNull` for nil.
  func values(ofConstraint names: [String]) -> [String: Any] {
    var values: [String: Any] = [:]
    for name in names {
      let value = layout.slot(named: name).flatMap(uniqueValue)
      values[name] = (value as? NSManagedObject)?.ownID ?? value ?? NSNull()
    }
    return values
  }

  private func uniqueValue(_ slot: PropertySlot) -> Any? {
    let value = externalValue(slot.index)
    guard let (text, form) = layout.textForm(of: slot) else { return value }
    if flags.contains(.inserted) || isChanged(text) {
      return (externalValue(text.index) as? String).map(form.of)
    }
    // A value that the program sets in a derived attribute is not saved.
    return AttributeCodec.external(committedValue(slot), slot)
  }
}

extension EntityLayout {
  /// Returns the slot that determines the unique value of a property: for a normalized string the string that it is
  /// derived from, otherwise the property itself; nil for an unknown name.
  func slot(determining name: String) -> PropertySlot? {
    slot(named: name).map { textForm(of: $0)?.text ?? $0 }
  }

  /// Returns the string and the normalization of a derived attribute such as `lowercase:(name)`; nil for any other
  /// property.
  fileprivate func textForm(
    of slot: PropertySlot
  ) -> (text: PropertySlot, form: RowDerivation.TextForm)? {
    guard let derivation = derivations.ofRow.first(where: { $0.slot == slot.index }),
      case .text(let text, let form) = derivation.source
    else { return nil }
    return (slots[text], form)
  }
}
