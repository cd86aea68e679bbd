package import CoreData

extension ResultColumn {
  /// The column's values for some rows, as many queries for all of them as the path has
  /// relationships, and one for a count.
  package func values(
    for rows: [NSManagedObject], in context: NSManagedObjectContext
  ) throws -> [CellValue] {
    var owners: [NSManagedObject?] = rows
    for hop in hops { owners = try context.destinations(of: hop, for: owners) }
    switch end {
    case .objectID:
      return owners.map { $0.map { .row($0.objectID) } ?? .null }
    case .attribute(let key, let type):
      return owners.map { owner in
        owner.flatMap { $0.value(forKey: key) }.map { CellValue($0, type) } ?? .null
      }
    case .toOne(let key):
      return try owners.map { owner in
        try owner.flatMap { try $0.destinationID(forKey: key) }.map { .row($0) } ?? .null
      }
    case .toMany(let key, let destination):
      let counts = try context.memberCounts(of: key, for: owners)
      return zip(owners, counts).map { owner, count in
        owner == nil ? .null : .objects(entity: destination, count: count)
      }
    }
  }
}
