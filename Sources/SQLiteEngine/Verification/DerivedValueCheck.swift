import StoreEngine

/// Checks that derived attributes have the values that their derivations compute.
///
/// Sums and averages of fractions may differ by rounding errors of incremental updates. A time of the last change
/// cannot be computed again, so the check requires only that it is a time and at most a day in the future.
struct DerivedValueCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.storedProperties.compactMap { property in
      guard case .attribute(let column) = property.mapping,
        property.layout.derivations.slots.contains(property.slot.index)
      else { return nil }
      let value = "t.\(SQLText.name(column))"
      guard let rule = try rule(property, value, store) else { return nil }
      return try store.problem(.derivedValue, property, column, where: "(\(rule.condition))", rule)
    }
  }

  private func rule(
    _ property: VerifiedStore.StoredProperty, _ value: String, _ store: VerifiedStore
  ) throws -> ValueRule? {
    let layout = property.layout
    let text = (property.slot.property as? NSDerivedAttributeDescription)?.derivationText ?? ""
    let description = CountedText("differs from \(text)", "differ from \(text)")
    if let derivation = layout.derivations.ofRow.first(where: { $0.slot == property.slot.index }) {
      switch derivation.source {
      case .time:
        let latest = Date().timeIntervalSinceReferenceDate + 86_400
        return ValueRule(
          "typeof(\(value)) NOT IN ('integer', 'real') OR \(value) > \(latest)"
            + " OR \(value) = -9e999", CountedText("is", "are", " not the time of a change"))
      case .text(let source, let form):
        guard case .attribute(let column) = store.schema.mapping(layout, source) else { return nil }
        let right = "\(SQLFunctionNames.textForm)('\(form.rawValue)', t.\(SQLText.name(column)))"
        // Apple's Core Data may fold characters that this form does not, so its canonical values are not replaced.
        let repair = form == .canonical ? nil : right
        return ValueRule("\(value) IS NOT \(right)", description, repair: repair)
      }
    }
    if let derivation = layout.derivations.ofExpressions.first(where: {
      $0.slot == property.slot.index
    }) {
      // A store of a configuration that lacks an entity of the expression has no value to compare with.
      guard
        let right = try? derivation.value(in: layout, store.schema, row: "t")
          .withoutParameters(SQLiteDialect())
      else { return nil }
      var condition = "\(value) IS NOT \(right)"
      switch derivation.expression.kind {
      case .double, .decimal, .date: condition = Self.beyondRounding(value, right)
      default: break
      }
      return ValueRule(condition, description, repair: text.contains("canonical:") ? nil : right)
    }
    guard
      let derivation = layout.derivations.ofStore.first(where: { $0.slot == property.slot.index })
    else { return nil }
    switch derivation.source {
    case .copy(let relationship, let source):
      guard case .toOne(let key, _, _) = store.schema.mapping(layout, relationship),
        let destination = layout.slots[relationship].relationship?.destination,
        store.schema.contains(destination),
        case .attribute(let column) = store.schema.mapping(destination, source)
      else { return nil }
      let table = try store.schema.source(destination)
      let right =
        "(SELECT d.\(SQLText.name(column)) FROM \(table) d WHERE d.Z_PK = t.\(SQLText.name(key)))"
      return ValueRule("\(value) IS NOT \(right)", description, repair: right)
    case .members(let relationship, let function, let source):
      guard let right = try members(layout, relationship, function, source, store) else {
        return nil
      }
      let isZero = function == "count:" || function == "sum:"
      // The sum or number of members may not have been written yet for a row without members.
      let present = isZero ? "IFNULL(\(value), 0)" : value
      let condition =
        isRounded(layout, relationship, function, source)
        ? Self.beyondRounding(present, right) : "\(present) IS NOT \(right)"
      return ValueRule(condition, description, repair: right)
    }
  }

  /// Returns the condition that a number differs from the expected one by more than rounding errors.
  private static func beyondRounding(_ value: String, _ right: String) -> String {
    // If a comparison returns NULL, the values count as different.
    "IFNULL(\(value) IS NOT \(right) AND NOT (typeof(\(value)) IN ('integer', 'real') AND"
      + " ABS(\(value) - \(right)) <= 1e-6 + 1e-9 * MIN(ABS(\(right)), 1e300)), 1)"
  }

  /// Returns whether the value that incremental updates produce may differ from the value computed from all rows.
  private func isRounded(
    _ layout: EntityLayout, _ relationship: Int, _ function: String, _ source: Int?
  ) -> Bool {
    if function == "average:" { return true }
    guard function == "sum:", let source,
      let slot = layout.slots[relationship].relationship?.destination.slots[source]
    else { return false }
    switch slot.storage {
    case .double, .float, .decimal, .date: return true
    default: return false
    }
  }

  /// Returns the SQL for the number, sum, minimum, maximum or average of the members of the row `t`.
  private func members(
    _ layout: EntityLayout, _ relationship: Int, _ function: String, _ source: Int?,
    _ store: VerifiedStore
  ) throws -> String? {
    guard let destination = layout.slots[relationship].relationship?.destination,
      store.schema.contains(destination)
    else { return nil }
    var column = "*"
    if let source {
      guard case .attribute(let name) = store.schema.mapping(destination, source) else {
        return nil
      }
      column = "d.\(SQLText.name(name))"
    }
    let result: String
    switch function {
    case "count:": result = "COUNT(*)"
    case "sum:": result = "IFNULL(SUM(\(column)), 0)"
    case "min:": result = "MIN(\(column))"
    case "max:": result = "MAX(\(column))"
    case "average:": result = "AVG(\(column))"
    default: return nil
    }
    let table = try store.schema.source(destination)
    switch store.schema.mapping(layout, relationship) {
    case .children(let key, _, _):
      return "(SELECT \(result) FROM \(table) d WHERE d.\(SQLText.name(key)) = t.Z_PK)"
    case .join(let join):
      let pairs = SQLText.name(join.table)
      let (owner, member) = (SQLText.name(join.ownerColumn), SQLText.name(join.memberColumn))
      return source == nil
        ? "(SELECT COUNT(*) FROM \(pairs) j WHERE j.\(owner) = t.Z_PK)"
        : "(SELECT \(result) FROM \(pairs) j JOIN \(table) d ON d.Z_PK = j.\(member)"
          + " WHERE j.\(owner) = t.Z_PK)"
    default: return nil
    }
  }
}
