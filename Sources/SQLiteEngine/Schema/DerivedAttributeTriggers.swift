import StoreEngine

/// The triggers that keep an entity's derived attributes up to date: a value copied through a to-one relationship,
/// the number of members of a to-many one, and the sum of one of their values. Other types handle the remaining kinds:
/// values that depend only on their own row, such as `uppercase:(name)`, are written with the row (`RowDerivation`);
/// values that cannot be updated incrementally are computed from all members (`RecomputedAttributeTriggers`); any other
/// expression is computed at the end of the transaction (`ExpressionAttributeTriggers`).
///
/// Each trigger reports its changes to the connected library, like the triggers of Apple's Core Data (`AffectedRows`).
struct DerivedAttributeTriggers {
  let plan: StoreSchemaPlan
  let layout: EntityLayout

  /// Returns the triggers of the attributes that the entity itself declares, in the order of the slots.
  func triggers() -> [DerivedTrigger] {
    StoreSchemaPlan.ownSlots(layout).flatMap { number -> [DerivedTrigger] in
      let slot = layout.slots[number]
      guard let derived = slot.property as? NSDerivedAttributeDescription,
        let text = derived.derivationText,
        case .attribute(let column) = plan.mappings[layout.index][number]
      else { return [] }
      if let filter = derived.filterText {
        Log.modelNotice(
          "the derived attribute \(layout.name).\(slot.name) is not kept up to date: \(text) of the rows where"
            + " \(filter) is not supported")
        return []
      }
      let own = TriggerText(
        table: tableName(layout), layout: layout, attribute: slot.name, column: column)
      let triggers = self.triggers(DerivationExpression(text: text), number, own)
      if triggers.isEmpty, RowDerivation(slot, in: layout) == nil {
        let reason = layout.derivations.problems.first { $0.attribute == slot.name }?.reason
        Log.modelNotice(
          "the derived attribute \(layout.name).\(slot.name) is not kept up to date: \(text) is not"
            + " supported\(reason.map { " (\($0))" } ?? "")")
      }
      return triggers
    }
  }

  /// Returns the triggers of one attribute; an empty array if its value does not depend on other rows, or cannot be
  /// computed.
  private func triggers(
    _ expression: DerivationExpression, _ slot: Int, _ own: TriggerText
  ) -> [DerivedTrigger] {
    let derivations = layout.derivations
    if let derivation = derivations.ofExpressions.first(where: { $0.slot == slot }) {
      return ExpressionAttributeTriggers(plan: plan, layout: layout).triggers(derivation, own)
    }
    guard derivations.ofStore.contains(where: { $0.slot == slot }) else { return [] }
    let steps: [DerivedTrigger]
    switch expression {
    case .keyPath(let path): steps = copied(path, own)
    case .function("count:", let arguments): steps = counted(arguments[0], own)
    case .function("sum:", let arguments): steps = summed(arguments[0], own)
    case .function, .other: steps = []
    }
    if !steps.isEmpty { return steps }
    return RecomputedAttributeTriggers(plan: plan, layout: layout).triggers(expression, own)
  }

  private func relationship(_ name: String) -> (slot: Int, destination: EntityLayout)? {
    guard let slot = layout.slotNumbers[name],
      let destination = layout.slots[slot].relationship?.destination,
      plan.numbers[destination.index] != nil
    else { return nil }
    return (slot, destination)
  }

  /// Returns the parts of a path that consists of a relationship and an attribute of its destination.
  private func path(_ path: String) -> (slot: Int, destination: EntityLayout, column: String)? {
    let steps = path.split(separator: ".").map(String.init)
    guard steps.count == 2, let (slot, destination) = relationship(steps[0]),
      let source = destination.slotNumbers[steps[1]],
      case .attribute(let column) = plan.mappings[destination.index][source]
    else { return nil }
    return (slot, destination, column)
  }

  /// Returns triggers for `primaryLabel.code`, which copy the value when either end of the relationship is written.
  private func copied(_ path: String, _ own: TriggerText) -> [DerivedTrigger] {
    guard let (slot, destination, source) = self.path(path),
      case .toOne(let key, _, _) = plan.mappings[layout.index][slot]
    else { return [] }
    let other = tableName(destination)
    let value = "(SELECT \(id(source)) FROM \(id(other)) WHERE Z_PK = NEW.\(id(key)))"
    return [
      own.trigger(
        on: own.table, "SOURCE_INSERT", "INSERT", set: value, of: "Z_PK = NEW.Z_PK",
        isInsert: true),
      own.trigger(
        on: own.table, "SOURCE_UPDATE", "UPDATE OF \(id(key))", set: value, of: "Z_PK = NEW.Z_PK"),
      own.trigger(
        on: other, "PARAMETER_INSERT", "INSERT", set: "NEW.\(id(source))",
        of: "\(id(key)) = NEW.Z_PK", isInsert: true),
      own.trigger(
        on: other, "PARAMETER_UPDATE", "UPDATE OF \(id(source))", set: "NEW.\(id(source))",
        of: "\(id(key)) = NEW.Z_PK"),
    ]
  }

  /// Returns triggers for `pages.@count`, which add or subtract one whenever the owner's key in a member's row is
  /// written.
  private func counted(_ name: String, _ own: TriggerText) -> [DerivedTrigger] {
    guard let (slot, destination) = relationship(name), countsOneByOne(destination),
      case .children(let key, _, _) = plan.mappings[layout.index][slot]
    else { return [] }
    let members = tableName(destination)
    let (new, old, column) = ("NEW.\(id(key))", "OLD.\(id(key))", own.column)
    let count =
      "(SELECT IFNULL(COUNT(\(id(key))), 0) FROM \(id(members)) WHERE \(id(key)) = NEW.Z_PK)"
    return [
      own.trigger(
        on: members, "PARAMETER_INSERT", "INSERT", when: new,
        set: "IFNULL(\(id(column)), 0) + 1", of: "Z_PK = \(new)"),
      own.trigger(
        // Moving a member to another owner runs this trigger and the next one.
        on: members, "PARAMETER_UPDATE_INCREMENT", "UPDATE OF \(id(key))", when: new,
        set: "\(id(column)) + 1", of: "Z_PK = \(new)"),
      own.trigger(
        on: members, "PARAMETER_UPDATE_DECREMENT", "UPDATE OF \(id(key))", when: old,
        set: "\(id(column)) - 1", of: "Z_PK = \(old)"),
      own.trigger(
        on: members, "PARAMETER_DELETE", "DELETE", when: old, set: "\(id(column)) - 1",
        of: "Z_PK = \(old)"),
      own.trigger(
        on: own.table, "SOURCE_INSERT", "INSERT", set: count, of: "Z_PK = NEW.Z_PK",
        isInsert: true),
    ]
  }

  /// Returns triggers for `players.age.@sum`, which add or subtract a value whenever the value or the owner's key in a
  /// member's row is written. For fractions, see `LateDerivations`.
  private func summed(_ path: String, _ own: TriggerText) -> [DerivedTrigger] {
    guard let (slot, destination, source) = self.path(path), countsOneByOne(destination),
      case .children(let key, _, _) = plan.mappings[layout.index][slot]
    else { return [] }
    let members = tableName(destination)
    let (new, old, column) = ("NEW.\(id(key))", "OLD.\(id(key))", own.column)
    let more = "IFNULL(\(id(column)), 0) + IFNULL(NEW.\(id(source)), 0)"
    let less = "IFNULL(\(id(column)), 0) - IFNULL(OLD.\(id(source)), 0)"
    let change = "UPDATE OF \(id(key)), \(id(source))"
    let sum =
      "(SELECT IFNULL(SUM(\(id(source))), 0) FROM \(id(members)) WHERE \(id(key)) = NEW.Z_PK)"
    return [
      own.trigger(
        on: members, "PARAMETER_INSERT", "INSERT", when: new, set: more, of: "Z_PK = \(new)"),
      own.trigger(
        on: members, "PARAMETER_UPDATE_INCREMENT", change, when: new, set: more,
        of: "Z_PK = \(new)"),
      own.trigger(
        on: members, "PARAMETER_UPDATE_DECREMENT", change, when: old, set: less,
        of: "Z_PK = \(old)"),
      own.trigger(
        on: members, "PARAMETER_DELETE", "DELETE", when: old, set: less, of: "Z_PK = \(old)"),
      own.trigger(
        on: own.table, "SOURCE_INSERT", "INSERT", set: sum, of: "Z_PK = NEW.Z_PK", isInsert: true),
    ]
  }

  /// Returns whether members can be counted incrementally.
  private func countsOneByOne(_ destination: EntityLayout) -> Bool {
    // In a table that owners and members share, a new row that is its own member would be counted twice: by the trigger
    // for members and by the trigger for owners.
    destination.root !== layout.root
  }

  private func tableName(_ layout: EntityLayout) -> String {
    StoreSchemaPlan.tableName(layout.root)
  }

  private func id(_ name: String) -> String { SchemaBuilder.identifier(name) }
}

/// A trigger of a derived attribute.
struct DerivedTrigger {
  /// The name in the form of Apple's Core Data. SQLite ignores its case, so another trigger may have it already.
  let name: String
  /// The part of the statement that follows the name.
  let definition: String

  /// Returns the statement that creates the trigger, with a number after the name if the name is used.
  func statement(_ names: inout SchemaNames) -> String {
    "CREATE TRIGGER \(SchemaBuilder.identifier(names.unused(name))) \(definition)"
  }
}

/// Writes the triggers of one derived attribute.
struct TriggerText {
  let table: String
  let layout: EntityLayout
  let attribute: String
  let column: String

  /// - Parameters:
  ///   - when: A column that must not be NULL for the trigger to run.
  ///   - value: The new value; nil if the rows are only reported.
  ///   - condition: The rows of the attribute's table that are updated or reported.
  func trigger(
    on watched: String, _ kind: String, _ event: String, when: String? = nil, set value: String?,
    of condition: String, isInsert: Bool = false
  ) -> DerivedTrigger {
    let own = SchemaBuilder.identifier(table)
    let target = SchemaBuilder.identifier(column)
    let names = [table, attribute].map { SQLText.literal(.text($0)) }
    let function =
      isInsert
      ? "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
      : "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    let definition =
      "AFTER \(event) ON \(SchemaBuilder.identifier(watched))"
      + " FOR EACH ROW \(when.map { "WHEN (\($0) NOT NULL) " } ?? "")BEGIN"
      + (value.map { " UPDATE \(own) SET \(target) = \($0) WHERE \(condition);" } ?? "")
      + " SELECT \(function)(\(names[0]), Z_ENT, Z_PK, \(names[1]), \(target))"
      + " FROM \(own) WHERE \(condition); END"
    return DerivedTrigger(
      name: "Z_DA_\(watched)_\(layout.name)_\(attribute)_\(kind)", definition: definition)
  }
}
