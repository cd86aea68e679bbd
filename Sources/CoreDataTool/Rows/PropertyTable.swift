import CoreData
import StoreInspection

/// The properties of an entity as a table.
struct PropertyTable {
  let entity: NSEntityDescription

  /// Prints the entity and its ancestors, then a table of its attributes, followed by its other properties, both sorted
  /// by name.
  func print() {
    let console = Console.current
    let line = entity.lineage.map { $0.name ?? "" }.joined(separator: " › ")
    console.output(line.onOneLine + (entity.isAbstract ? " (abstract)" : "") + "\n\n")
    var table = TableRenderer(width: console.width(), countsRows: false) { console.output($0) }
    table.begin(columns: ["property", "type", "remarks"], sectioned: false)
    let byName = entity.properties.sorted { $0.name.lowercased() < $1.name.lowercased() }
    for property in byName.filter({ $0 is NSAttributeDescription })
      + byName.filter({ !($0 is NSAttributeDescription) })
    {
      let remarks = PropertyRemarks(property: property).short.joined(separator: ", ")
      table.row([
        .text(property.name), .text(PropertyRemarks(property: property).type),
        remarks.isEmpty ? .null : .text(remarks),
      ])
    }
    table.end()
  }
}
