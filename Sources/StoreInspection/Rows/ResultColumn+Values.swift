package import CoreData

extension ResultColumn {
  /// Reads the column's values for some rows, with one query per relationship before the end of the path for all rows
  /// together. A count needs one more query for each entity among the rows that have the to-many relationship.
  ///
  /// - Parameter extent: How much of large values is read.
  package func values(
    for rows: [NSManagedObject], in context: NSManagedObjectContext, _ extent: ValueExtent = .whole
  ) throws -> [CellValue] {
    if hops.isEmpty, case .attribute(let key, let type) = end {
      return Self.values(ofAttribute: ManagedKey(key), type, for: rows, extent)
    }
    var owners: [NSManagedObject?] = rows
    for hop in hops { owners = try context.destinations(of: hop, for: owners) }
    switch end {
    case .objectID:
      return owners.map { $0.map { .row($0.objectID) } ?? .null }
    case .attribute(let key, let type):
      return owners.map { owner in
        owner.map { CellValue(ofAttribute: key, type, of: $0, extent) } ?? .null
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

  /// Reads the values of an attribute of the rows themselves. Types that are shown as they are stored are read
  /// directly, because converting them to Foundation types costs several times as much.
  private static func values(
    ofAttribute key: ManagedKey, _ type: NSAttributeType, for rows: [NSManagedObject],
    _ extent: ValueExtent
  ) -> [CellValue] {
    switch type {
    case .stringAttributeType:
      rows.mapUncounted { ($0.managedValue(key) as String?).map { .text($0) } ?? .null }
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      rows.mapUncounted { $0.managedInteger(key).map { .integer($0) } ?? .null }
    case .booleanAttributeType:
      rows.mapUncounted { $0.managedInteger(key).map { .boolean($0 != 0) } ?? .null }
    case .dateAttributeType:
      rows.mapUncounted { ($0.managedValue(key) as Date?).map { .date($0) } ?? .null }
    default:
      rows.map { CellValue(ofAttribute: key.name, type, of: $0, extent) }
    }
  }
}
