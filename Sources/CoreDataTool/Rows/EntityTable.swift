import CoreData
import StoreInspection

/// The entities of a store as a table, with subentities below their superentities.
struct EntityTable {
  private let entities: [(entity: NSEntityDescription, depth: Int)]

  /// Makes a table of a configuration's entities; nil for all entities of the model.
  init(_ model: NSManagedObjectModel, ofConfiguration configuration: String? = nil) {
    let stored = Set(
      (model.storedEntities(forConfigurationName: configuration) ?? []).map(ObjectIdentifier.init))
    // Superentities outside the configuration are shown too, because the tree needs them.
    func isShown(_ entity: NSEntityDescription) -> Bool {
      stored.contains(ObjectIdentifier(entity)) || entity.subentities.contains(where: isShown)
    }
    entities = Self.sorted(model.entities.filter { $0.superentity == nil }, depth: 0)
      .filter { isShown($0.entity) }
  }

  private static func sorted(
    _ entities: [NSEntityDescription], depth: Int
  ) -> [(entity: NSEntityDescription, depth: Int)] {
    entities.sorted { ($0.name ?? "").lowercased() < ($1.name ?? "").lowercased() }
      .flatMap { [(entity: $0, depth: depth)] + sorted($0.subentities, depth: depth + 1) }
  }

  /// Counts the rows and prints the table. An entity's count excludes the rows of its subentities.
  func print(in context: NSManagedObjectContext) throws {
    let console = Console.current
    var table = TableRenderer(width: console.width(), countsRows: false) { console.output($0) }
    table.begin(columns: ["entity", "rows", "attributes", "relationships"], sectioned: false)
    var total = 0
    for (entity, depth) in entities {
      var count: CellValue = .text("abstract")
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      do {
        let rows = try context.count(for: request)
        // An abstract entity should have no rows. If the store contains some, they are shown.
        if !entity.isAbstract || rows > 0 { count = .count(rows) }
        total += rows
      } catch let error as NSError where error.code == NSPersistentStoreIncompatibleSchemaError {
        // The store's table lacks the column that distinguishes rows of this entity from those of others.
        count = .text("unknown")
      }
      table.row([
        .text(String(repeating: "  ", count: depth) + (entity.name ?? "")), count,
        .count(entity.attributesByName.count), .count(entity.relationshipsByName.count),
      ])
    }
    table.end()
    let noun = CountText.counted(entities.count, "entity", plural: "entities")
    console.output("\n\(CountText.rows(total)) in \(noun)\n")
  }
}
