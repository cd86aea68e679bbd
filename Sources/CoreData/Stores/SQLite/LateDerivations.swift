import ObjectModel

/// Derived attributes that are sums of fractions.
///
/// Their triggers add and take away, as those of whole numbers do, whoever writes to the file. But what is
/// taken away from a rounded sum is not what was added, and nothing is left of an infinite one. So those that a
/// transaction touched are computed anew at its end: once each, and not for each member that is written.
struct FractionalSums: Sendable {
  private struct Sum: Hashable {
    let table: String
    let column: String
    let value: String
  }

  /// By entity index and the attribute's name.
  private let sums: [Int: [String: Sum]]
  let names: Set<String>

  init(_ schema: StoreSchema) {
    var sums: [Int: [String: Sum]] = [:]
    for layout in schema.model.entities where schema.contains(layout) {
      for slot in layout.slots {
        sums[layout.index, default: [:]][slot.name] = Self.sum(slot, of: layout, schema)
      }
    }
    self.sums = sums
    names = Set(sums.values.flatMap(\.keys))
  }

  private static func sum(
    _ slot: PropertySlot, of layout: EntityLayout, _ schema: StoreSchema
  ) -> Sum? {
    guard let derived = slot.property as? NSDerivedAttributeDescription,
      derived.filterText == nil, let text = derived.derivationText,
      case .function("sum:", let arguments) = DerivationExpression(text: text),
      let steps = arguments.first?.split(separator: ".").map(String.init), steps.count == 2,
      let relationship = layout.slotNumbers[steps[0]],
      let destination = layout.slots[relationship].relationship?.destination,
      schema.contains(destination), let source = destination.slotNumbers[steps[1]],
      isFraction(destination.slots[source]),
      case .attribute(let column) = schema.mapping(layout, slot.index),
      case .children(let key, _, _) = schema.mapping(layout, relationship),
      case .attribute(let value) = schema.mapping(destination, source),
      let table = try? schema.table(layout), let members = try? schema.table(destination)
    else { return nil }
    let own = SQLText.name(table)
    return Sum(
      table: own, column: SQLText.name(column),
      value: "(SELECT IFNULL(SUM(d.\(SQLText.name(value))), 0) FROM \(SQLText.name(members)) d"
        + " WHERE d.\(SQLText.name(key)) = \(own).Z_PK)")
  }

  private static func isFraction(_ slot: PropertySlot) -> Bool {
    switch (slot.property as? NSAttributeDescription)?.attributeType {
    case .floatAttributeType, .doubleAttributeType, .decimalAttributeType: true
    default: false
    }
  }

  /// How deep sums of sums are computed anew.
  private static let depth = 8

  /// Computes anew what the open transaction touched.
  func refresh(_ schema: StoreSchema, on connection: SQLiteConnection) throws {
    if names.isEmpty { return }
    for _ in 0..<Self.depth {
      var keys: [Sum: [Int64]] = [:]
      for (row, names) in connection.affected.takeFollowed() {
        guard let layout = schema.layout(number: row.entity) else { continue }
        for name in names {
          if let sum = sums[layout.index]?[name] { keys[sum, default: []].append(row.key) }
        }
      }
      if keys.isEmpty { return }
      for (sum, keys) in keys {
        var text = SQLText("UPDATE \(sum.table) SET \(sum.column) = \(sum.value) WHERE Z_PK ")
        text += SQLiteStore.keyCondition(keys)
        try connection.run(text)
      }
    }
  }
}
