import CoreData
import StoreInspection

/// A model as text: general facts, the tree of entities, each entity, and the fetch requests.
struct ModelSummary {
  let loaded: LoadedModel
  private var model: NSManagedObjectModel { loaded.model }

  /// The text, line by line.
  var lines: [String] {
    var lines = facts + ["", CountText.counted(model.entities.count, "entity", plural: "entities")]
    let roots = model.entities.filter { $0.superentity == nil }
    lines += TextColumns.aligned(roots.sortedByName.flatMap { tree($0, "", "") })
    for entity in roots.sortedByName.flatMap(\.familyByName) {
      lines += [""] + EntitySummary(entity: entity, withInherited: false).lines
    }
    lines += requests
    return lines
  }

  private var facts: [String] {
    var facts = [("model", loaded.path)]
    if let origin = loaded.origin, origin != .cached { facts.append(("origin", origin.text)) }
    if let version = loaded.version {
      facts.append(("version", version + (version == loaded.currentVersion ? " (current)" : "")))
      if loaded.versions.count > 1 {
        facts.append(("versions", loaded.versions.joined(separator: ", ")))
      }
    }
    let identifiers = model.versionIdentifiers.map { "\($0)" }.filter { !$0.isEmpty }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    if !identifiers.isEmpty { facts.append(("identifiers", identifiers.joined(separator: ", "))) }
    facts.append(("checksum", model.versionChecksum))
    for (name, entities) in model.entitiesByConfiguration {
      facts.append(
        ("configuration", "\(name): \(entities.compactMap(\.name).joined(separator: ", "))"))
    }
    return TextColumns.aligned(facts.map { [$0.0, $0.1] })
  }

  /// Returns the rows of cells for an entity and its subentities.
  private func tree(
    _ entity: NSEntityDescription, _ mark: String, _ indentation: String
  ) -> [[String]] {
    let below = entity.subentities.sortedByName
    let attributes = entity.ownProperties.count { $0 is NSAttributeDescription }
    let relationships = entity.ownProperties.count { $0 is NSRelationshipDescription }
    let counts = [(attributes, "attribute"), (relationships, "relationship")]
      .filter { $0.0 > 0 }.map { CountText.counted($0.0, $0.1) }
    let row = [
      "  " + mark + (entity.name ?? ""), entity.isAbstract ? "abstract" : "",
      counts.joined(separator: ", "),
    ]
    return [row]
      + below.enumerated().flatMap { index, child in
        let isLast = index == below.count - 1
        return tree(
          child, indentation + (isLast ? "└─ " : "├─ "), indentation + (isLast ? "   " : "│  "))
      }
  }

  private var requests: [String] {
    let templates = model.fetchRequestTemplates.values.sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
    guard !templates.isEmpty else { return [] }
    return ["", "fetch requests"]
      + TextColumns.aligned(templates.map { ["  " + $0.name, $0.summary] })
  }
}

extension [NSEntityDescription] {
  /// The entities sorted by name, ignoring case unless only case differs.
  var sortedByName: [NSEntityDescription] {
    sorted {
      let (one, other) = ($0.name ?? "", $1.name ?? "")
      let (small, otherSmall) = (one.lowercased(), other.lowercased())
      return small == otherSmall
        ? one.utf8.lexicographicallyPrecedes(other.utf8)
        : small.utf8.lexicographicallyPrecedes(otherSmall.utf8)
    }
  }
}

extension NSEntityDescription {
  /// The entity, followed by its descendants in the order of a tree.
  var familyByName: [NSEntityDescription] {
    [self] + subentities.sortedByName.flatMap(\.familyByName)
  }
}
