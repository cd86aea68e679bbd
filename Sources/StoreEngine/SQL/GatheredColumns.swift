/// The columns of the table in which values of several stores are gathered, each the value of an
/// expression that one store can compute by itself.
///
/// The final statement is written first: what it needs of a row becomes a column. Then each store is
/// queried for the columns.
package final class GatheredColumns {
  /// What each column has, in order.
  package private(set) var expressions: [BoundExpression] = []
  /// Whether an aggregate needs all values of a group, which parts of it do not have.
  package private(set) var needsRows = false
  /// Whether a row is a group of one store, whose aggregates are merged; else it is a row of the entity.
  private let isGrouped: Bool
  private let origins: [StoreOrigin]

  package init(origins: [StoreOrigin], isGrouped: Bool) {
    self.origins = origins
    self.isGrouped = isGrouped
  }

  package static func name(_ column: Int) -> String { "c\(column)" }

  /// Returns how the final statement gets the value of an expression; nil where it computes the value of
  /// the parts.
  package func value(of expression: BoundExpression) -> SQLText? {
    switch expression {
    case .constant: return nil
    case .groupAggregate(let function, let argument) where isGrouped:
      return merged(function, argument)
    default: return expression.hasGroupAggregate ? nil : SQLText(column(expression))
    }
  }

  /// Returns how the final statement gets the truth of a condition that reads more of a row than values;
  /// nil for others.
  package func truth(of predicate: BoundPredicate) -> SQLText? {
    switch predicate {
    case .exists, .isEntity, .isMode:
      SQLText(
        column(
          .conditional(
            predicate, .constant(.integer(1), .integer), .constant(.integer(0), .integer))))
    default: nil
    }
  }

  /// The column of an expression; key paths that are used several times have one.
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

  /// An aggregate of all stores, of those that each store has for a group.
  private func merged(_ function: PredefinedFunction, _ argument: BoundExpression) -> SQLText {
    func part(_ function: PredefinedFunction) -> String {
      column(.groupAggregate(function, argument))
    }
    return switch function {
    case .count: SQLText("COALESCE(SUM(\(part(.count))), 0)")
    case .sum: SQLText("total(\(part(.sum)))")
    case .average: SQLText("(total(\(part(.sum))) / NULLIF(SUM(\(part(.count))), 0))")
    case .minimum: SQLText("min(\(part(.minimum)))")
    case .maximum: SQLText("max(\(part(.maximum)))")
    default: needingRows()
    }
  }

  /// Notes that the groups of stores cannot be merged; the text is not used.
  private func needingRows() -> SQLText {
    needsRows = true
    return SQLText("NULL")
  }

  // MARK: IDs

  /// A constant as the gathered rows have it.
  package func stored(_ value: StoredValue) -> StoredValue {
    guard case .reference(let id) = value else { return value }
    guard let bytes = bytes(of: id) else { return .integer(0) }
    return .data(bytes)
  }

  /// An ID as bytes, which order IDs by their keys; nil for one of another store.
  private func bytes(of id: NSManagedObjectID) -> Data? {
    let store = origins.firstIndex { $0 === id.origin }
    guard
      let store = store ?? origins.firstIndex(where: { $0.identifier == id.origin.identifier })
    else { return nil }
    return [id.key, Int64(store)].reduce(into: Data()) { bytes, number in
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
  }

  /// The ID that bytes stand for.
  package func id(_ bytes: Data, _ layout: EntityLayout) -> NSManagedObjectID? {
    guard bytes.count == 16 else { return nil }
    let numbers = bytes.withUnsafeBytes { bytes in
      [0, 8].map { Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self)) }
    }
    guard origins.indices.contains(Int(numbers[1])) else { return nil }
    return NSManagedObjectID(layout: layout, key: numbers[0], origin: origins[Int(numbers[1])])
  }
}
