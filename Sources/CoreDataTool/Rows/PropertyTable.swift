import CoreData

/// The properties of an entity as a table.
struct PropertyTable {
  private let entity: NSEntityDescription

  /// The table of an entity.
  init(_ entity: NSEntityDescription) {
    self.entity = entity
  }

  /// Writes the table: the entity's line of descent, then attributes and relationships by name.
  func print() {
    let console = Console.current
    var line = [entity.name ?? ""]
    var above = entity.superentity
    while let current = above {
      line.insert(current.name ?? "", at: 0)
      above = current.superentity
    }
    console.output(
      line.joined(separator: " › ").onOneLine + (entity.isAbstract ? " (abstract)" : "") + "\n\n")
    var table = TableRenderer(width: console.width(), countsRows: false) { console.output($0) }
    table.begin(columns: ["property", "type", "remarks"], sectioned: false)
    let byName: (NSPropertyDescription, NSPropertyDescription) -> Bool = {
      $0.name.lowercased() < $1.name.lowercased()
    }
    let attributes = entity.properties.filter { $0 is NSAttributeDescription }.sorted(by: byName)
    let others = entity.properties.filter { !($0 is NSAttributeDescription) }.sorted(by: byName)
    for property in attributes + others {
      let remarks = Self.remarks(property).joined(separator: ", ")
      table.row([
        .text(property.name), .text(Self.type(of: property)),
        remarks.isEmpty ? .null : .text(remarks),
      ])
    }
    table.end()
  }

  private static func type(of property: NSPropertyDescription) -> String {
    switch property {
    case let attribute as NSAttributeDescription: attribute.attributeType.modelFileName
    case let relationship as NSRelationshipDescription:
      (relationship.isToMany ? "→→ " : "→ ") + (relationship.destinationEntity?.name ?? "")
    default: "fetched"
    }
  }

  private static func remarks(_ property: NSPropertyDescription) -> [String] {
    var remarks: [String] = []
    if property is NSDerivedAttributeDescription { remarks.append("derived") }
    if property.isTransient, !(property is NSFetchedPropertyDescription) {
      remarks.append("transient")
    }
    if !property.isOptional, !(property is NSFetchedPropertyDescription) {
      remarks.append("required")
    }
    if let attribute = property as? NSAttributeDescription, let value = attribute.defaultValue {
      remarks.append("default \(CellValue(value, attribute.attributeType).readable)")
    }
    if let relationship = property as? NSRelationshipDescription {
      if relationship.isOrdered { remarks.append("ordered") }
      if let inverse = relationship.inverseRelationship {
        remarks.append("inverse \(inverse.name)")
      }
      switch relationship.deleteRule {
      case .cascadeDeleteRule: remarks.append("cascades")
      case .denyDeleteRule: remarks.append("denies")
      default: break
      }
    }
    return remarks
  }
}
