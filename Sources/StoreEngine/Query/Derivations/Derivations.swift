/// The derived attributes of an entity by the way in which their values are kept up to date. Immutable, so it can be
/// read on any thread.
package final class Derivations: @unchecked Sendable {
  /// The attributes that are written with the row.
  package let ofRow: [RowDerivation]
  /// The attributes that triggers of the store compute from other rows.
  package let ofStore: [StoreDerivation]
  /// The attributes with other expressions, which statements compute at the end of a transaction.
  package let ofExpressions: [ExpressionDerivation]
  /// The attributes that are not supported, and why. Attributes with a filter are not supported either, but are not
  /// listed.
  package let problems: [(attribute: String, reason: String)]
  /// The slots of all supported attributes. Values that a program sets for them are not stored.
  package let slots: Set<Int>

  private static let none = Derivations()

  private init() {
    ofRow = []
    ofStore = []
    ofExpressions = []
    problems = []
    slots = []
  }

  private init(_ layout: EntityLayout) {
    let attributes = layout.attributeSlots.map { layout.slots[$0] }
    ofRow = attributes.compactMap { RowDerivation($0, in: layout) }
    ofStore = attributes.compactMap { StoreDerivation($0, in: layout) }
    var slots = Set(ofRow.map(\.slot) + ofStore.map(\.slot))
    var expressions: [ExpressionDerivation] = []
    var problems: [(attribute: String, reason: String)] = []
    // The simpler forms are preferred, because an expression costs a query in each transaction that affects it.
    for slot in attributes where !slots.contains(slot.index) {
      guard let derived = slot.property as? NSDerivedAttributeDescription, !slot.isTransient,
        derived.filterText == nil
      else { continue }
      do {
        expressions.append(try ExpressionDerivation(slot, in: layout))
        slots.insert(slot.index)
      } catch {
        problems.append((slot.name, error.localizedDescription))
      }
    }
    ofExpressions = expressions
    self.problems = problems
    self.slots = slots
  }

  /// Returns the derivations of an entity, and creates them on first use.
  fileprivate static func of(_ layout: EntityLayout) -> Derivations {
    layout.hasDerivedAttributes ? layout.query.object { Derivations(layout) } : none
  }
}

extension EntityLayout {
  /// The derived attributes.
  package var derivations: Derivations { .of(self) }
}
