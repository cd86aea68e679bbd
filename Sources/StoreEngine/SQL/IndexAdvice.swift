/// Modifications of a statement that make SQLite use an index that the model declares.
///
/// SQLite can find the rows with that index, with the index on entities, or by reading the table in the order of its
/// keys, which is also the order of a result without sort descriptors. Only a store that was opened with
/// `NSSQLiteAnalyzeOption` has statistics. Without them SQLite prefers the index on entities to the declared index, and
/// the order of the table to an index search with only one bound. A plus before a column keeps SQLite from using the
/// column's index or order.
package struct IndexAdvice {
  /// Whether the entity column gets a plus, because the declared index is better than that on
  /// entities.
  package private(set) var hidesEntity = false
  /// Whether the key in ORDER BY gets a plus, because sorting the rows is better than reading the
  /// table in the order of its keys.
  package private(set) var hidesKeyOrder = false

  package init(_ plan: RowQuery) {
    guard let predicate = plan.predicate else { return }
    let slots = Self.indexedSlots(plan.layout)
    var hasBound = false
    for part in Self.conjuncts(predicate) {
      switch Self.use(of: part, slots, plan.layout) {
      case .equalityOrRange: hidesEntity = true
      case .oneBound: hasBound = true
      case nil: break
      }
    }
    // With a limit, reading in the order of the table finds the first rows immediately.
    hidesKeyOrder = hasBound && !hidesEntity && plan.sorts.isEmpty && plan.limit == 0
    if hidesKeyOrder { hidesEntity = true }
  }

  private enum Use { case equalityOrRange, oneBound }

  /// Returns the conditions that must all be true.
  private static func conjuncts(_ predicate: BoundPredicate) -> [BoundPredicate] {
    if case .and(let parts) = predicate { return parts.flatMap(conjuncts) }
    return [predicate]
  }

  /// Returns how an index finds the rows of a condition; nil if no index does.
  private static func use(
    of predicate: BoundPredicate, _ slots: Set<Int>, _ layout: EntityLayout
  ) -> Use? {
    func isIndexed(_ expression: BoundExpression) -> Bool {
      switch expression {
      case .function, .arithmetic: return IndexedExpression.isIndexed(expression, of: layout)
      default: break
      }
      // A value at the end of a relationship is in another table, and its
      // index finds rows of that table.
      guard case .property(let path) = expression, path.level == 0, path.steps.isEmpty else {
        return false
      }
      switch path.terminal {
      case .attribute(let slot): return slots.contains(slot)
      // Each to-one column has an index, and the key orders the table itself.
      case .reference, .object: return true
      }
    }
    switch predicate {
    case .compare(let left, let comparison, let right):
      guard isIndexed(left) && right.isConstant || isIndexed(right) && left.isConstant else {
        return nil
      }
      switch comparison {
      case .equal: return .equalityOrRange
      case .notEqual: return nil
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return .oneBound
      }
    case .between(let value, let low, let high):
      return isIndexed(value) && low.isConstant && high.isConstant ? .equalityOrRange : nil
    case .among(let value, _), .isNull(let value): return isIndexed(value) ? .equalityOrRange : nil
    case .match(let value, let pattern):
      return isIndexed(value) && pattern.literalPrefix != nil ? .equalityOrRange : nil
    case .inIndex: return .equalityOrRange
    default: return nil
    }
  }

  /// Returns the attributes at the beginning of the declared indexes of an entity.
  private static func indexedSlots(_ layout: EntityLayout) -> Set<Int> {
    var slots: Set<Int> = []
    for owner in sequence(first: layout, next: \.superlayout) {
      // SQLite uses a partial index only if the statement implies its condition
      // (sqlite.org/partialindex.html).
      for index in owner.entity.indexes where index.partialPredicateFormat == nil {
        // SQLite searches an index by its first column.
        if let element = index.elements.first, element.collationType == .binary,
          let name = element.propertyName, let slot = layout.slotNumbers[name]
        {
          slots.insert(slot)
        }
      }
      for slot in owner.slots where slot.property.isIndexed { slots.insert(slot.index) }
    }
    return slots
  }
}
