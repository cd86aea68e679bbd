import CoreData
import StoreInspection

/// A comparison of two models as text or JSON.
struct ComparisonText {
  let comparison: ModelComparison
  let old: LoadedModel
  let new: LoadedModel

  init(_ comparison: ModelComparison, old: LoadedModel, new: LoadedModel) {
    self.comparison = comparison
    self.old = old
    self.new = new
  }

  /// Changes by entity, each with what it asks of a migration, and the verdict.
  var lines: [String] {
    var groups: [(title: String, rows: [Row])] = []
    func add(_ title: String, _ rows: [Row]) {
      if !rows.isEmpty { groups.append((title, rows)) }
    }
    add("the model", comparison.modelChanges.map { Row($0, property: "") })
    for entity in comparison.entities {
      add(
        entity.name,
        entity.changes.map { Row($0, property: "") }
          + entity.properties.flatMap { property in
            property.changes.map { Row($0, property: property.name) }
          })
    }
    // All changes are aligned with one another, whatever entity they are of.
    var aligned = TextColumns.aligned(groups.flatMap(\.rows).map(\.cells))[...]
    var lines: [String] = []
    for group in groups {
      lines.append(group.title)
      for row in group.rows {
        lines.append(aligned.removeFirst())
        if let advice = row.advice { lines.append("      " + advice) }
      }
      lines.append("")
    }
    return lines + [verdict]
  }

  /// What a lightweight migration does not keep, a line for each change.
  static func losses(of comparison: ModelComparison) -> [String] {
    comparison.entities.flatMap { entity in
      let own = entity.changes.map { (name: entity.name, change: $0 as any ComparedChange) }
      let others = entity.properties.flatMap { property in
        property.changes.map {
          (name: "\(entity.name).\(property.name)", change: $0 as any ComparedChange)
        }
      }
      return (own + others).compactMap { name, change -> String? in
        guard case .lightweight(let caveat?) = change.migration, caveat.losesData else {
          return nil
        }
        return "\(name), \(change.text): \(caveat.text)"
      }
    }
  }

  /// What has to be done about it all.
  private var verdict: String {
    let needs = comparison.changes.map(\.migration)
    let mapping = needs.count { $0.weight == 2 }
    let lightweight = needs.count { $0.weight == 1 }
    if needs.isEmpty { return "The models are the same." }
    if mapping > 0 {
      return
        "A mapping model is needed, for \(mapping) of \(CountText.counted(needs.count, "change"))."
    }
    if lightweight > 0, old.model.entityVersionHashesByName == new.model.entityVersionHashesByName {
      return
        "The version hashes are the same: stores of the one open with the other as they are, and"
        + " nothing is migrated. A version hash modifier would make them differ."
    }
    if lightweight > 0 {
      return "The migration is lightweight: it can be inferred."
    }
    return "No migration is needed: stores of the one open with the other."
  }

  /// One change on its way to the screen.
  private struct Row {
    var cells: [String]
    var advice: String?

    init(_ change: any ComparedChange, property: String) {
      var text = change.text
      if let note = change.migration.note { text += ": " + note }
      cells = ["  " + change.migration.title] + (property.isEmpty ? [] : [property]) + [text]
      if case .mappingModel(let obstacle) = change.migration { advice = "→ " + obstacle.advice }
    }
  }

  /// One object: both models, the verdict, and the changes in the order of the text.
  var json: String {
    var changes = comparison.modelChanges.map { json($0, entity: nil, property: nil) }
    for entity in comparison.entities {
      changes += entity.changes.map { json($0, entity: entity.name, property: nil) }
      for property in entity.properties {
        changes += property.changes.map {
          json($0, entity: entity.name, property: property.name)
        }
      }
    }
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

  private func json(
    _ change: any ComparedChange, entity: String?, property: String?
  ) -> String {
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
  /// For people.
  var title: String {
    switch self {
    case .none: "no migration"
    case .lightweight: "lightweight"
    case .mappingModel: "needs mapping"
    }
  }

  /// For programs.
  var name: String {
    switch self {
    case .none: "none"
    case .lightweight: "lightweight"
    case .mappingModel: "mapping"
    }
  }

  /// What becomes of the data, or why that is not known.
  var note: String? {
    switch self {
    case .none: nil
    case .lightweight(let caveat): caveat?.text
    case .mappingModel(let obstacle): obstacle.text
    }
  }
}
