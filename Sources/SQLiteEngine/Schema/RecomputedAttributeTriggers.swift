import StoreEngine

/// The triggers of derived attributes that are computed from all members of a relationship: all minimum, maximum and
/// average values, and the counts and sums of many-to-many relationships and of those within one entity hierarchy.
struct RecomputedAttributeTriggers {
  let plan: StoreSchemaPlan
  let layout: EntityLayout

  private static let aggregates = [
    "sum:": "SUM", "min:": "MIN", "max:": "MAX", "average:": "AVG",
  ]

  /// Returns the triggers of one attribute; an empty array for another kind of expression.
  func triggers(_ derivation: DerivationExpression, _ own: TriggerText) -> [DerivedTrigger] {
    guard case .function(let function, let arguments) = derivation, arguments.count == 1 else {
      return []
    }
    let steps = arguments[0].split(separator: ".", maxSplits: 1).map(String.init)
    guard let slot = layout.slotNumbers[steps[0]],
      let destination = layout.slots[slot].relationship?.destination,
      plan.numbers[destination.index] != nil
    else { return [] }
    var source: String?
    var aggregate = "COUNT"
    if function == "count:" {
      guard steps.count == 1 else { return [] }
    } else {
      guard let name = Self.aggregates[function], steps.count == 2,
        let number = destination.slotNumbers[steps[1]],
        case .attribute(let found) = plan.mappings[destination.index][number]
      else { return [] }
      (aggregate, source) = (name, found)
    }
    let members = StoreSchemaPlan.tableName(destination.root)
    switch plan.mappings[layout.index][slot] {
    case .join(let join): return joined(own, join, members, aggregate, source)
    case .children(let key, _, _):
      return ofChildren(own, key, members, aggregate, source)
    default: return []
    }
  }

  private func id(_ name: String) -> String { SchemaBuilder.identifier(name) }

  /// Returns the SQL of an aggregate. The sum of no values is 0, as for `@sum`, although SQLite's `SUM` returns NULL.
  private func value(_ aggregate: String, of source: String) -> String {
    aggregate == "SUM" ? "IFNULL(SUM(\(source)), 0)" : "\(aggregate)(\(source))"
  }

  private func joined(
    _ own: TriggerText, _ join: StoreSchema.JoinTable, _ members: String, _ aggregate: String,
    _ source: String?
  ) -> [DerivedTrigger] {
    let (table, owner, member) = (id(join.table), id(join.ownerColumn), id(join.memberColumn))
    let present = "\(id(own.table)).Z_PK"
    let all: String
    if let source {
      all =
        "(SELECT \(value(aggregate, of: "d.\(id(source))")) FROM \(table) j JOIN \(id(members)) d"
        + " ON d.Z_PK = j.\(member) WHERE j.\(owner) = \(present))"
    } else {
      all = "(SELECT COUNT(*) FROM \(table) j WHERE j.\(owner) = \(present))"
    }
    var triggers = [
      own.trigger(
        on: join.table, "PARAMETER_INSERT", "INSERT", set: all, of: "Z_PK = NEW.\(owner)"),
      own.trigger(
        on: join.table, "PARAMETER_DELETE", "DELETE", set: all, of: "Z_PK = OLD.\(owner)"),
      own.trigger(
        on: own.table, "SOURCE_INSERT", "INSERT", set: all, of: "Z_PK = NEW.Z_PK", isInsert: true),
    ]
    if let source {
      triggers.append(
        own.trigger(
          on: members, "PARAMETER_UPDATE", "UPDATE OF \(id(source))", set: all,
          of: "Z_PK IN (SELECT \(owner) FROM \(table) WHERE \(member) = NEW.Z_PK)"))
    }
    return triggers
  }

  private func ofChildren(
    _ own: TriggerText, _ key: String, _ members: String, _ aggregate: String, _ source: String?
  ) -> [DerivedTrigger] {
    let key = id(key)
    let watched = source.map { [id($0)] } ?? []
    let all =
      "(SELECT \(source.map { value(aggregate, of: "d.\(id($0))") } ?? "COUNT(*)")"
      + " FROM \(id(members)) d WHERE d.\(key) = \(id(own.table)).Z_PK)"
    return [
      own.trigger(
        on: members, "PARAMETER_INSERT", "INSERT", when: "NEW.\(key)", set: all,
        of: "Z_PK = NEW.\(key)"),
      // A member that moves changes the values of its old and its new owner.
      own.trigger(
        on: members, "PARAMETER_UPDATE", "UPDATE OF \(([key] + watched).joined(separator: ", "))",
        set: all, of: "Z_PK IN (NEW.\(key), OLD.\(key))"),
      own.trigger(
        on: members, "PARAMETER_DELETE", "DELETE", when: "OLD.\(key)", set: all,
        of: "Z_PK = OLD.\(key)"),
      own.trigger(
        on: own.table, "SOURCE_INSERT", "INSERT", set: all, of: "Z_PK = NEW.Z_PK", isInsert: true),
    ]
  }
}
