import CoreData
import StoreInspection

/// A comparison of two models as text or JSON.
struct ComparisonText {
  let comparison: ModelComparison
  let old: LoadedModel
  let new: LoadedModel

  /// A change with the names of the entity and property that it is about; the entity is nil for a change to the
  /// model itself.
  private typealias LocatedChange = (entity: String?, property: String?, change: any ComparedChange)

  /// Returns the changes to the model, then those of each entity and its properties.
  private static func groups(in comparison: ModelComparison) -> [[LocatedChange]] {
    let ofModel = comparison.modelChanges.map { change -> LocatedChange in (nil, nil, change) }
    let ofEntities = comparison.entities.map { entity -> [LocatedChange] in
      entity.changes.map { (entity.name, nil, $0) }
        + entity.properties.flatMap { property in
          property.changes.map { change -> LocatedChange in (entity.name, property.name, change) }
        }
    }
    return ([ofModel] + ofEntities).filter { !$0.isEmpty }
  }

  /// The changes by entity, each with the migration that it requires, and the verdict.
  var lines: [String] {
    let groups = Self.groups(in: comparison)
    // All changes are aligned with one another, across entities.
    var aligned = TextColumns.aligned(groups.joined().map(cells))[...]
    var lines: [String] = []
    for group in groups {
      lines.append(group[0].entity ?? "the model")
      for located in group {
        // `aligned` has the lines of all groups in the same order.
        lines.append(aligned.removeFirst())
        if case .mappingModel(let obstacle) = located.change.migration {
          lines.append("      → " + obstacle.advice)
        }
      }
      lines.append("")
    }
    return lines + [verdict]
  }

  private func cells(of located: LocatedChange) -> [String] {
    let migration = located.change.migration
    let text = located.change.text + (migration.note.map { ": " + $0 } ?? "")
    return ["  " + migration.title, located.property, text].compactMap { $0 }
  }

  /// Returns one line for each change by which a lightweight migration loses data.
  static func losses(of comparison: ModelComparison) -> [String] {
    groups(in: comparison).joined().compactMap { entity, property, change -> String? in
      guard let entity, case .lightweight(let caveat?) = change.migration, caveat.losesData else {
        return nil
      }
      let name = property.map { "\(entity).\($0)" } ?? entity
      return "\(name), \(change.text): \(caveat.text)"
    }
  }

  /// The last line: which migration all the changes together require.
  private var verdict: String {
    let needs = comparison.changes.map(\.migration)
    let mapping = needs.count { $0.weight == 2 }
    let lightweight = needs.count { $0.weight == 1 }
    if needs.isEmpty { return "The models are the same." }
    if mapping > 0 {
      return
        "A mapping model is needed for \(mapping) of \(CountText.counted(needs.count, "change"))."
    }
    if lightweight > 0, old.model.entityVersionHashesByName == new.model.entityVersionHashesByName {
      return
        "The version hashes are the same: stores of either model open with the other as they are, and"
        + " nothing is migrated. To force a migration, set a version hash modifier in the new model."
    }
    if lightweight > 0 {
      return "The migration is lightweight: Core Data can infer it."
    }
    return "No migration is needed: stores of either model open with the other."
  }

  /// A JSON object with the paths and versions of both models, the migration that all changes together require, and the
  /// changes in the order of the text.
  var json: String {
    let changes = Self.groups(in: comparison).joined().map(json)
    return "{"
      + [
        #""old":\#(json(old))"#, #""new":\#(json(new))"#,
        #""migration":\#(JSONText.quoted(comparison.migration.name))"#,
        #""changes":[\#(changes.joined(separator: ","))]"#,
      ].joined(separator: ",") + "}"
  }

  private func json(_ model: LoadedModel) -> String {
    let version = model.version.map { #","version":\#(JSONText.quoted($0))"# } ?? ""
    return #"{"path":\#(JSONText.quoted(model.path))\#(version)}"#
  }

  private func json(_ located: LocatedChange) -> String {
    let (entity, property, change) = located
    var fields: [(String, String)] = []
    if let entity { fields.append(("entity", entity)) }
    if let property { fields.append(("property", property)) }
    fields += [
      ("change", change.kind), ("text", change.text), ("migration", change.migration.name),
    ]
    if let note = change.migration.note { fields.append(("note", note)) }
    if case .mappingModel(let obstacle) = change.migration {
      fields.append(("advice", obstacle.advice))
    }
    let texts = fields.map { "\(JSONText.quoted($0.0)):\(JSONText.quoted($0.1))" }
    return "{" + texts.joined(separator: ",") + "}"
  }
}

extension MigrationNeed {
  var title: String {
    switch self {
    case .none: "no migration"
    case .lightweight: "lightweight"
    case .mappingModel: "needs mapping"
    }
  }

  /// The name in JSON output.
  var name: String {
    switch self {
    case .none: "none"
    case .lightweight: "lightweight"
    case .mappingModel: "mapping"
    }
  }

  /// What happens to the data, or why the migration cannot be inferred.
  var note: String? {
    switch self {
    case .none: nil
    case .lightweight(let caveat): caveat?.text
    case .mappingModel(let obstacle): obstacle.text
    }
  }
}
