/// A derived attribute whose value depends on other rows: a value copied through a to-one relationship, or the
/// number, sum, minimum, maximum or average of the members of a to-many one. Triggers of the store keep it up to
/// date.
///
/// `RowDerivation` handles the time of the save, and forms of a string in the same row, such as uppercase.
/// `ExpressionDerivation` handles all other expressions.
package struct StoreDerivation {
  package let slot: Int
  package let source: Source

  package enum Source: Equatable {
    /// The value of a property at the end of a to-one relationship.
    case copy(relationship: Int, value: Int)
    /// `count:`, `sum:`, `min:`, `max:` or `average:` of the members of a to-many relationship.
    case members(relationship: Int, function: String, value: Int?)
  }

  private static let functions: Set<String> = ["sum:", "min:", "max:", "average:"]

  /// - Returns: Nil for an attribute that is not derived, or whose expression is of another kind.
  package init?(_ slot: PropertySlot, in layout: EntityLayout) {
    guard let derived = slot.property as? NSDerivedAttributeDescription,
      derived.filterText == nil, let text = derived.derivationText
    else { return nil }
    self.slot = slot.index
    func resolve(_ path: String, _ kind: PropertySlot.Kind) -> (Int, Int?)? {
      let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
      guard let first = steps.first, let relationship = layout.slotNumbers[first],
        layout.slots[relationship].kind == kind,
        let destination = layout.slots[relationship].relationship?.destination
      else { return nil }
      guard steps.count == 2 else { return (relationship, nil) }
      guard let value = destination.slot(named: steps[1]), value.storage != nil,
        !value.isTransient
      else { return nil }
      return (relationship, value.index)
    }
    switch DerivationExpression(text: text) {
    case .keyPath(let path):
      guard path.split(separator: ".").count == 2,
        case (let relationship, let value?)? = resolve(path, .toOne)
      else { return nil }
      source = .copy(relationship: relationship, value: value)
    case .function("count:", let arguments) where arguments.count == 1:
      guard case (let relationship, nil)? = resolve(arguments[0], .toMany) else { return nil }
      source = .members(relationship: relationship, function: "count:", value: nil)
    case .function(let name, let arguments)
    where arguments.count == 1 && Self.functions.contains(name):
      guard case (let relationship, let value?)? = resolve(arguments[0], .toMany) else {
        return nil
      }
      source = .members(relationship: relationship, function: name, value: value)
    case .function, .other: return nil
    }
  }
}
