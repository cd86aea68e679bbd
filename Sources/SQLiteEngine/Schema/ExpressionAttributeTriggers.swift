import StoreEngine

/// The triggers of a derived attribute with an arbitrary expression. They report the rows whose values may have
/// changed, and `LateDerivations` computes the values.
///
/// A row is reported when it is inserted, when one of its own values in the expression is written, and when something
/// changes at the end of a chain of relationships in the expression: a row at the end is inserted or deleted, a value
/// of such a row that the expression reads is written, or the row becomes or ceases to be a member of the last
/// relationship.
struct ExpressionAttributeTriggers {
  let plan: StoreSchemaPlan
  let layout: EntityLayout

  func triggers(_ derivation: ExpressionDerivation, _ own: TriggerText) -> [DerivedTrigger] {
    var triggers = [
      own.trigger(
        on: own.table, "SOURCE_INSERT", "INSERT", set: nil, of: "Z_PK = NEW.Z_PK", isInsert: true)
    ]
    let columns = columns(derivation.sources.slots, of: layout)
    if !columns.isEmpty {
      triggers.append(
        own.trigger(
          on: own.table, "SOURCE_UPDATE", "UPDATE OF \(list(columns))", set: nil,
          of: "Z_PK = NEW.Z_PK"))
    }
    for (place, chain) in derivation.sources.chains.enumerated() {
      triggers += self.triggers(chain, number: place + 1, own)
    }
    return triggers
  }

  /// Returns the triggers of the rows at the end of a chain.
  private func triggers(
    _ chain: RelationshipDependency, number: Int, _ own: TriggerText
  ) -> [DerivedTrigger] {
    guard plan.numbers[chain.end.index] != nil, let last = chain.steps.last else { return [] }
    let members = tableName(chain.end)
    let read = columns(chain.slots, of: chain.end)
    var triggers: [DerivedTrigger] = []
    /// - Parameter keys: The SQL list of the keys of rows at the end of the chain, or of their owners.
    func add(
      _ table: String, _ kind: String, _ event: String, _ keys: String, isOwner: Bool = false
    ) {
      let steps = isOwner ? chain.steps.dropLast() : chain.steps[...]
      guard let rows = roots(of: keys, along: steps) else { return }
      triggers.append(
        own.trigger(
          on: table, "PARAMETER_\(kind)_\(number)", event, set: nil, of: "Z_PK IN \(rows)"))
    }
    add(members, "INSERT", "INSERT", "(NEW.Z_PK)")
    if !read.isEmpty { add(members, "UPDATE", "UPDATE OF \(list(read))", "(NEW.Z_PK)") }
    switch plan.mappings[last.layout.index][last.slot] {
    case .toOne: add(members, "DELETE", "DELETE", "(OLD.Z_PK)")
    case .children(let key, let order, _):
      let name = id(key)
      // The position matters, too, because an expression may use the first or last member.
      add(
        members, "MOVE", "UPDATE OF \(list([key, order].compactMap(\.self)))",
        "(NEW.\(name), OLD.\(name))", isOwner: true)
      add(members, "DELETE", "DELETE", "(OLD.\(name))", isOwner: true)
    case .join(let join):
      let owner = id(join.ownerColumn)
      add(join.table, "PAIR_INSERT", "INSERT", "(NEW.\(owner))", isOwner: true)
      add(join.table, "PAIR_UPDATE", "UPDATE", "(NEW.\(owner))", isOwner: true)
      add(join.table, "PAIR_DELETE", "DELETE", "(OLD.\(owner))", isOwner: true)
    case .none, .attribute: break
    }
    return triggers
  }

  /// Follows relationships backwards from rows with some keys, and returns the SQL for the keys of the attribute's
  /// rows; nil if the store lacks one of the relationships.
  private func roots(
    of keys: String, along steps: ArraySlice<(layout: EntityLayout, slot: Int)>
  ) -> String? {
    var keys = keys
    for (owner, slot) in steps.reversed() {
      let table = id(tableName(owner))
      switch plan.mappings[owner.index][slot] {
      case .toOne(let column, _, _):
        keys = "(SELECT Z_PK FROM \(table) WHERE \(id(column)) IN \(keys))"
      case .children(let key, _, _):
        guard let destination = owner.slots[slot].relationship?.destination else { return nil }
        keys = "(SELECT \(id(key)) FROM \(id(tableName(destination))) WHERE Z_PK IN \(keys))"
      case .join(let join):
        keys =
          "(SELECT \(id(join.ownerColumn)) FROM \(id(join.table))"
          + " WHERE \(id(join.memberColumn)) IN \(keys))"
      case .none, .attribute: return nil
      }
    }
    return keys
  }

  /// Returns the columns of slots, in order.
  private func columns(_ slots: Set<Int>, of layout: EntityLayout) -> [String] {
    slots.sorted().compactMap { plan.mappings[layout.index][$0].column }
  }

  private func list(_ columns: [String]) -> String { columns.map(id).joined(separator: ", ") }

  private func tableName(_ layout: EntityLayout) -> String {
    StoreSchemaPlan.tableName(layout.root)
  }

  private func id(_ name: String) -> String { SchemaBuilder.identifier(name) }
}
