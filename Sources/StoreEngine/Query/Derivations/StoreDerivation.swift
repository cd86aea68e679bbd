/// A derived attribute whose value depends on other rows: a value copied through a to-one relationship, or the
/// number, sum, minimum, maximum or average of the members of a to-many one. Triggers of the store keep it up to
/// date.
///
/// `RowDerivation` handles the time of the save, and normalized strings of the same row, such as `uppercase:(name)`.
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

  /// Creates the derivation of an attribute; nil if the attribute is not derived, has an expression of another kind, or
  /// cannot store the values.
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
    guard Self.fits(source, slot, in: layout) else { return nil }
  }

  // MARK: Types

  private static func fits(
    _ source: Source, _ slot: PropertySlot, in layout: EntityLayout
  ) -> Bool {
    switch source {
    case .copy(let relationship, let value):
      guard let given = layout.destinationSlot(value, of: relationship) else { return false }
      return isCopy(given, slot)
        || fits(ValueKind(given), (given.property as? NSAttributeDescription)?.attributeType, slot)
    case .members(let relationship, let function, let value):
      guard let function = PredefinedFunction(rawValue: function) else { return false }
      let given = value.flatMap { layout.destinationSlot($0, of: relationship) }
      let result = BoundFunction(
        operation: .predefined(function), argumentKinds: given.map { [ValueKind($0)] } ?? [])
      let kind = result.kind ?? .opaque
      return fits(kind, resultType(of: function, kind, given), slot)
    }
  }

  /// Returns whether an attribute can store the values of a type as they are. Unlike `ExpressionDerivation`, triggers
  /// do not convert them.
  private static func fits(
    _ kind: ValueKind, _ type: NSAttributeType?, _ slot: PropertySlot
  ) -> Bool {
    guard BatchUpdate.fits(kind, slot) else { return false }
    guard kind.isNumber, ValueKind(slot).isNumber,
      let wanted = (slot.property as? NSAttributeDescription)?.attributeType
    else { return true }
    // The columns of doubles and decimals convert every number that is written.
    if wanted == .doubleAttributeType || wanted == .decimalAttributeType { return true }
    return type.map { !$0.losesNumbers(convertedTo: wanted) } ?? false
  }

  /// Returns the type whose values an attribute must be able to store, so that it can store the results of a function;
  /// nil if the type is unknown.
  private static func resultType(
    of function: PredefinedFunction, _ kind: ValueKind, _ given: PropertySlot?
  ) -> NSAttributeType? {
    switch function {
    // Counts and sums of integers in any integer attribute are computed by Apple's triggers, so that Apple's programs
    // keep them up to date. A number beyond the attribute's range stays exact, and a verification reports it.
    case .count: .integer16AttributeType
    case .sum where kind == .integer: .integer16AttributeType
    case .minimum, .maximum: (given?.property as? NSAttributeDescription)?.attributeType
    default: .doubleAttributeType
    }
  }

  /// Returns whether the cells of two attributes have the same form, so that triggers can copy values that no
  /// expression can use, such as those of a value transformer.
  private static func isCopy(_ given: PropertySlot, _ slot: PropertySlot) -> Bool {
    func transformer(_ slot: PropertySlot) -> String? {
      (slot.property as? NSAttributeDescription)?.valueTransformerName
    }
    return given.storage == slot.storage && transformer(given) == transformer(slot)
      // A cell may contain the name of a file that belongs to one row.
      && !given.mayBeExternal && !slot.mayBeExternal
  }
}

extension EntityLayout {
  /// Returns a slot of the objects at the end of a relationship.
  fileprivate func destinationSlot(_ slot: Int, of relationship: Int) -> PropertySlot? {
    slots[relationship].relationship.map { $0.destination.slots[slot] }
  }
}
