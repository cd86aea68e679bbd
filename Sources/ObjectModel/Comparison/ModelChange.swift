/// A change to a part of the model outside its entities.
package struct ModelChange: ComparedChange, Hashable, Sendable {
  /// The changed part, in the order of reports.
  package enum Aspect: Hashable, Sendable {
    /// The configuration with this name was added or removed, or contains different entities.
    case configuration(String)
    /// The fetch request template with this name was added, removed or changed.
    case fetchRequest(String)
    /// The version identifiers.
    case versionIdentifiers
    /// The localization dictionary.
    case localization
  }

  /// The direction of the change.
  package enum Direction: Hashable, Sendable {
    /// Only the new model has the part.
    case added
    /// Only the old model has the part.
    case removed
    /// The part differs. The texts describe it in the old and the new model; they are equal if they do not show the
    /// difference.
    case changed(from: String, to: String)
  }

  /// The changed part.
  package let aspect: Aspect
  /// The direction of the change.
  package let direction: Direction
  /// The consequence for a migration.
  package let migration: MigrationNeed

  static func changes(_ pairing: ModelPairing) -> [ModelChange] {
    configurations(pairing) + fetchRequests(pairing.old, pairing.new)
      + descriptions(pairing.old, pairing.new)
  }

  private static func configurations(_ pairing: ModelPairing) -> [ModelChange] {
    // Use the new names for entities of both models.
    var names: [String: String] = [:]
    for pair in pairing.pairs { names[pair.old.name ?? ""] = pair.new.name ?? "" }
    let before = Dictionary(
      pairing.old.configurationTable.map { table in
        (table.name, table.entityNames.map { names[$0] ?? $0 }.sorted { $0.isBefore($1) })
      }, uniquingKeysWith: { $1 })
    let after = Dictionary(
      pairing.new.configurationTable.map { ($0.name, $0.entityNames.sorted { $0.isBefore($1) }) },
      uniquingKeysWith: { $1 })
    return differences(before, after) { $0.joined(separator: ", ") }.map { name, direction in
      // A store of a configuration records only the hashes of that configuration's entities.
      var need = MigrationNeed.none
      if case .changed = direction { need = .lightweight(.storesOfConfigurationOnly) }
      return ModelChange(aspect: .configuration(name), direction: direction, migration: need)
    }
  }

  private static func fetchRequests(
    _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
  ) -> [ModelChange] {
    differences(old.fetchRequestTemplates, new.fetchRequestTemplates, text: \.summary).map {
      ModelChange(aspect: .fetchRequest($0), direction: $1, migration: .none)
    }
  }

  private static func descriptions(
    _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
  ) -> [ModelChange] {
    var result: [ModelChange] = []
    func text(_ identifiers: Set<AnyHashable>) -> String {
      identifiers.map { "\($0)" }.filter { !$0.isEmpty }.sorted { $0.isBefore($1) }
        .joined(separator: ", ")
    }
    let identifiers = (text(old.versionIdentifiers), text(new.versionIdentifiers))
    if identifiers.0 != identifiers.1 {
      result.append(
        ModelChange(
          aspect: .versionIdentifiers,
          direction: .changed(from: identifiers.0, to: identifiers.1), migration: .none))
    }
    if (old.explicitLocalization ?? [:]) != (new.explicitLocalization ?? [:]) {
      result.append(
        ModelChange(
          // Equal texts make the report say that the dictionary differs, without printing all of
          // it.
          aspect: .localization, direction: .changed(from: "", to: ""), migration: .none))
    }
    return result
  }

  private static func differences<Value: Equatable>(
    _ before: [String: Value], _ after: [String: Value], text: (Value) -> String
  ) -> [(String, Direction)] {
    Set(before.keys).union(after.keys).sorted { $0.isBefore($1) }.compactMap { name in
      switch (before[name], after[name]) {
      case (let old?, let new?):
        old == new ? nil : (name, .changed(from: text(old), to: text(new)))
      case (nil, _): (name, .added)
      case (_, nil): (name, .removed)
      }
    }
  }
}

extension FetchRequestTemplate {
  /// A one-line description of the request: `Person where age > 3 by lastName, -age limit 10`.
  package var summary: String {
    var text = entityName
    if let predicateFormat { text += " where \(predicateFormat)" }
    if !sortKeys.isEmpty {
      text +=
        " by "
        + sortKeys.map { ($0.isAscending ? "" : "-") + $0.keyPath }
        .joined(separator: ", ")
    }
    if fetchLimit > 0 { text += " limit \(fetchLimit)" }
    if fetchOffset > 0 { text += " offset \(fetchOffset)" }
    if fetchBatchSize > 0 { text += " in batches of \(fetchBatchSize)" }
    if !includesSubentities { text += " without subentities" }
    return text
  }
}
