/// The derived attributes of an entity, by who keeps their values. Never changed, so it is read from any thread.
package final class Derivations: @unchecked Sendable {
  /// Those that are written with the row.
  package let ofRow: [RowDerivation]
  /// Those that the store's triggers compute from other rows.
  package let ofStore: [StoreDerivation]
  /// Those that are expressions of another kind.
  package let ofExpressions: [ExpressionDerivation]
  /// Why others cannot be kept, by name.
  package let faults: [(attribute: String, reason: String)]
  /// The slots of all that are kept: what a program sets there is not stored.
  package let slots: Set<Int>

  private static let none = Derivations()

  private init() {
    ofRow = []
    ofStore = []
    ofExpressions = []
    faults = []
    slots = []
  }

  private init(_ layout: EntityLayout) {
    let attributes = layout.attributeSlots.map { layout.slots[$0] }
    ofRow = attributes.compactMap { RowDerivation($0, in: layout) }
    ofStore = attributes.compactMap { StoreDerivation($0, in: layout) }
    var slots = Set(ofRow.map(\.slot) + ofStore.map(\.slot))
    var expressions: [ExpressionDerivation] = []
    var faults: [(attribute: String, reason: String)] = []
    for slot in attributes where !slots.contains(slot.index) {
      guard let derived = slot.property as? NSDerivedAttributeDescription, !slot.isTransient,
        derived.filterText == nil
      else { continue }
      do {
        expressions.append(try ExpressionDerivation(slot, in: layout))
        slots.insert(slot.index)
      } catch {
        faults.append((slot.name, error.localizedDescription))
      }
    }
    ofExpressions = expressions
    self.faults = faults
    self.slots = slots
  }

  /// Those of an entity, bound when they are first asked for.
  fileprivate static func of(_ layout: EntityLayout) -> Derivations {
    layout.hasDerivedAttributes ? layout.query.object { Derivations(layout) } : none
  }
}

extension EntityLayout {
  /// The derived attributes.
  package var derivations: Derivations { .of(self) }
}
