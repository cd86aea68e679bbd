import CoreData
import StoreInspection

/// An entity as text: its ancestors and class, properties, constraints, indexes.
struct EntitySummary {
  let entity: NSEntityDescription
  /// Whether inherited properties are shown too, with the entity that declares them.
  let withInherited: Bool

  /// The text, line by line.
  var lines: [String] {
    let properties = (withInherited ? entity.properties : entity.ownProperties)
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    var rows: [[String]] = []
    // The rows of all groups are aligned with one another, so the headings are inserted afterwards.
    var headings: [Int: String] = [:]
    func add(_ heading: String, _ members: [[String]]) {
      guard !members.isEmpty else { return }
      headings[rows.count] = heading
      rows += members
    }
    let groups: [(String, (NSPropertyDescription) -> Bool)] = [
      ("attributes", { $0 is NSAttributeDescription }),
      ("relationships", { $0 is NSRelationshipDescription }),
      ("fetched properties", { $0 is NSFetchedPropertyDescription }),
    ]
    for (heading, belongs) in groups { add(heading, properties.filter(belongs).flatMap(rows(of:))) }
    add("unique", entity.uniquenessConstraintNames.map { ["    " + $0.joined(separator: ", ")] })
    let indexes = entity.indexes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    add("indexes", indexes.map { ["    " + $0.name, $0.summary()] })
    add(
      "compound indexes", entity.compoundIndexNames.map { ["    " + $0.joined(separator: ", ")] })
    add("notes", PropertyRemarks.notes(entity.userInfo).map { ["    " + $0] })
    var lines = [title]
    for (index, line) in TextColumns.aligned(rows).enumerated() {
      if let heading = headings[index] { lines.append("  " + heading) }
      lines.append(line)
    }
    return lines
  }

  private var title: String {
    var parts = [entity.lineage.map { $0.name ?? "" }.joined(separator: " › ")]
    if entity.isAbstract { parts.append("abstract") }
    parts.append("class \(entity.managedObjectClassName ?? "NSManagedObject")")
    if let identifier = entity.explicitRenamingIdentifier, identifier != entity.name {
      parts.append("was \(identifier)")
    }
    if let modifier = entity.versionHashModifier, !modifier.isEmpty {
      parts.append("version hash modifier \(modifier)")
    }
    return parts.joined(separator: " · ")
  }

  private func rows(of property: NSPropertyDescription) -> [[String]] {
    var remarks = PropertyRemarks(property: property).all
    if withInherited, let owner = property.owner, owner !== entity {
      remarks.append("from \(owner.name ?? "")")
    }
    let row = [
      "    " + property.name, PropertyRemarks(property: property).type,
      remarks.joined(separator: ", "),
    ]
    guard let composite = property as? NSCompositeAttributeDescription else { return [row] }
    return [row]
      + composite.elements.flatMap { element in
        rows(of: element).map { ["  " + $0[0]] + $0.dropFirst() }
      }
  }
}
