/// The columns of the table that collects values of several stores. Each column contains the value of an expression
/// that a single store can compute.
///
/// The final statement is built first. The values of a row that it needs become columns, which are then read from each
/// store.
package final class GatheredColumns {
  /// The expressions of the columns, in order.
  package private(set) var expressions: [BoundExpression] = []
  /// Whether an aggregate needs all values of a group, because it cannot be merged from aggregates of parts.
  package private(set) var needsRows = false
  /// Whether a row of the table is a group of one store, whose aggregates are merged, instead of a row of the entity.
  private let isGrouped: Bool
  private let origins: [StoreOrigin]

  package init(origins: [StoreOrigin], isGrouped: Bool) {
    self.origins = origins
    self.isGrouped = isGrouped
  }

  package static func name(_ column: Int) -> String { "c\(column)" }

  /// Returns the SQL of an expression in the final statement, if its value is in columns; nil if the final statement
  /// computes it from the values of its parts.
  package func value(of expression: BoundExpression) -> SQLText? {
    switch expression {
    // Constants are part of the final statement, so they need no column.
    case .constant: return nil
    // Without groups, the columns contain the argument of each row, and the final
    // statement contains the aggregate.
    case .groupAggregate(let function, let argument) where isGrouped:
      return merged(function, argument)
    default: return expression.hasGroupAggregate ? nil : SQLText(column(expression))
    }
  }

  /// Returns the SQL, in the final statement, of a condition that each store must decide, because values of the row
  /// are not enough; nil for other conditions.
  package func truth(of predicate: BoundPredicate) -> SQLText? {
    let (yes, no): (BoundExpression, BoundExpression) = (
      .constant(.integer(1), .integer), .constant(.integer(0), .integer)
    )
    // Columns contain values of expressions, and a conditional turns the condition into an expression.
    switch predicate {
    case .exists, .isMode: return SQLText(column(.conditional(predicate, yes, no)))
    case .isEntity:
      // For nil, the condition and its negation are both unknown.
      let isNot = BoundExpression.conditional(.not(predicate), no, .constant(.null, .integer))
      return SQLText(column(.conditional(predicate, yes, isNot)))
    default: return nil
    }
  }

  /// Returns the column of an expression. Equal key paths have one column.
  private func column(_ expression: BoundExpression) -> String {
    if case .property(let path) = expression {
      let known = expressions.firstIndex {
        if case .property(let other) = $0 { other == path } else { false }
      }
      if let known { return Self.name(known) }
    }
    expressions.append(expression)
    return Self.name(expressions.count - 1)
  }

  /// Returns the aggregate over all stores, merged from the aggregates of each store's group.
  private func merged(_ function: PredefinedFunction, _ argument: BoundExpression) -> SQLText {
    func part(_ function: PredefinedFunction) -> String {
      column(.groupAggregate(function, argument))
    }
    return switch function {
    case .count: SQLText("COALESCE(SUM(\(part(.count))), 0)")
    case .sum: SQLText("total(\(part(.sum)))")
    // Averages of groups of different sizes cannot be merged.
    case .average: SQLText("(total(\(part(.sum))) / NULLIF(SUM(\(part(.count))), 0))")
    case .minimum: SQLText("min(\(part(.minimum)))")
    case .maximum: SQLText("max(\(part(.maximum)))")
    // The median and the standard deviation depend on all values of a group.
    default: needingRows()
    }
  }

  /// Records that the groups of the stores cannot be merged. The returned SQL is not used.
  private func needingRows() -> SQLText {
    needsRows = true
    return SQLText("NULL")
  }

  // MARK: IDs

  /// Returns the form of a constant in the collected rows.
  package func stored(_ value: StoredValue) -> StoredValue {
    guard case .reference(let id) = value else { return value }
    // Collected IDs are blobs, so the integer that represents an object of another store is equal to none of them.
    guard let bytes = bytes(of: id) else { return .integer(0) }
    return .data(bytes)
  }

  /// Returns an ID as bytes, whose order is that of the keys; nil for an ID of another store.
  private func bytes(of id: NSManagedObjectID) -> Data? {
    guard let store = origins.firstIndex(where: { $0 === id.origin }) else { return nil }
    return [id.key, Int64(store)].reduce(into: Data()) { bytes, number in
      // SQLite compares blobs byte by byte, so the most significant byte is first.
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
  }

  /// Returns the ID that bytes contain; nil if they contain none.
  package func id(_ bytes: Data, _ layout: EntityLayout) -> NSManagedObjectID? {
    guard bytes.count == 16 else { return nil }
    let numbers = bytes.withUnsafeBytes { bytes in
      [0, 8].map { Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self)) }
    }
    guard origins.indices.contains(Int(numbers[1])) else { return nil }
    return NSManagedObjectID(layout: layout, key: numbers[0], origin: origins[Int(numbers[1])])
  }
}
