/// Requires that every entity has a unique name without impossible characters, and every root entity a separate table.
/// Warns about unusual names, and about names that differ only in case.
enum EntityNameRules: ModelRule {
  static func inspect(_ model: NSManagedObjectModel, _ inspection: inout ModelInspection) {
    var seen: Set<String> = []
    var similar: [String: String] = [:]
    var tables: [String: String] = [:]
    for entity in model.entities {
      let name = entity.name ?? ""
      if name.isEmpty {
        inspection.report(.missingName, entity, "the entity has no name")
        continue
      }
      guard seen.insert(name).inserted else {
        inspection.report(.repeatedName, entity, "another entity has this name too")
        continue
      }
      inspectSpelling(of: entity, name, &inspection)
      let other = similar.updateValue(name, forKey: name.lowercased())
      // Only root entities have tables; their descendants share them.
      if entity.superentity == nil {
        // A clash implies that the names differ only in case, which is not reported again.
        if let owner = tables.updateValue(name, forKey: name.uppercased()) {
          inspection.report(
            .tableClash, entity, "it would share the table Z\(name.uppercased()) with '\(owner)'")
          continue
        }
        if ownTables.contains(name.uppercased()) {
          inspection.report(
            .tableClash, entity, "the table Z\(name.uppercased()) is one of Core Data's own")
        }
      }
      if let other {
        inspection.report(
          .similarName, entity, "the name differs from that of the entity '\(other)' only in case")
      }
    }
  }

  /// The names of the store's own tables without their first letter.
  private static let ownTables: Set = ["_PRIMARYKEY", "_METADATA", "_MODELCACHE"]

  private static func inspectSpelling(
    of entity: NSEntityDescription, _ name: String, _ inspection: inout ModelInspection
  ) {
    if let wrong = name.unicodeScalars.first(where: { $0.value == 0 || $0 == "/" || $0 == "." }) {
      // A slash would break the URIs of objects, and a period or NUL the names in the store.
      inspection.report(
        .impossibleName, entity, "the name cannot contain the character \(wrong.debugDescription)")
    } else if !NameSpelling.isIdentifier(name) {
      inspection.report(.unusualName, entity, "the name is not a valid class name")
    } else if name.first?.isLowercase == true {
      inspection.report(
        .unusualName, entity, "names of entities should begin with a capital letter")
    }
  }
}

/// Checks the spelling of names.
enum NameSpelling {
  /// Returns whether a string begins with a letter or underscore.
  static func beginsWell(_ text: String) -> Bool {
    text.first.map { $0.isLetter || $0 == "_" } ?? false
  }

  /// Returns whether a name is a letter or underscore, followed by letters, digits and underscores.
  static func isIdentifier(_ name: String) -> Bool {
    beginsWell(name) && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}
