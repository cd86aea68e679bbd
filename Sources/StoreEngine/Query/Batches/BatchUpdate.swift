/// A batch update with resolved names.
package struct BatchUpdate {
  package enum Value {
    case constant(StoredValue)
    /// Computed from the values of each row before the update.
    case expression(BoundExpression)
  }

  /// The rows to update. If this query is cancelled, the store rolls back all changes of the update.
  package var rows: RowQuery
  /// The assignments in slot order, including those of changed derived attributes that depend only on their own row
  /// (``RowDerivation``).
  package let assignments: [(slot: PropertySlot, value: Value)]

  /// - Parameter assignments: The assignments in any order. Those of derived attributes are added: `now()`, and
  ///   functions such as `uppercase:` of assigned strings.
  package init(rows: RowQuery, assignments: [(slot: PropertySlot, value: Value)]) {
    var all = assignments
    for derivation in rows.layout.derivations.ofRow {
      if let value = Self.derived(derivation, assignments) {
        all.append((rows.layout.slots[derivation.slot], value))
      }
    }
    self.rows = rows
    self.assignments = all.sorted { $0.slot.index < $1.slot.index }
  }

  /// Returns whether an attribute can store the values of expressions of a type.
  package static func fits(_ kind: ValueKind, _ slot: PropertySlot) -> Bool {
    let wanted = ValueKind(slot)
    if wanted == .opaque || kind == .opaque { return false }
    if wanted.isNumber && kind.isNumber { return true }
    // A store contains dates as numbers.
    return kind == wanted || kind == .null || wanted == .date && kind == .double
  }

  private static func derived(
    _ derivation: RowDerivation, _ assignments: [(slot: PropertySlot, value: Value)]
  ) -> Value? {
    switch derivation.source {
    case .time: return .constant(.double(Date().timeIntervalSinceReferenceDate))
    case .text(let source, let form):
      switch assignments.first(where: { $0.slot.index == source })?.value {
      case .constant(.text(let text)): return .constant(.text(form.of(text)))
      case .constant: return .constant(.null)
      case .expression(let expression):
        let function: PredefinedFunction =
          switch form {
          case .canonical: .canonical
          case .uppercase: .uppercase
          case .lowercase: .lowercase
          }
        return .expression(
          .function(
            BoundFunction(operation: .predefined(function), argumentKinds: [.text]), [expression]))
      case nil: return nil
      }
    }
  }
}
