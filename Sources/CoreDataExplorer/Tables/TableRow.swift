import CoreData
import StoreInspection

/// A row of a table for a page.
struct TableRow: Encodable, Equatable {
  let id: String
  let entity: String
  let label: String
  let cells: [Cell]

  /// Makes the rows of objects. Reads a relationship in the columns for all rows together, except for rows with unsaved
  /// changes (``values(of:_:in:_:)``) and for ``LargeValueRows``.
  ///
  /// - Parameter keys: The caller's own cache of label keys; nil for the context's cache.
  static func rows(
    of objects: [NSManagedObject], _ columns: [ResultColumn], in context: NSManagedObjectContext,
    named keys: LabelKeys? = nil
  ) throws -> [TableRow] {
    let keys = keys ?? context.labelKeys
    if let heavy = try LargeValueRows(objects, keys, in: context) {
      return try heavy.rows(columns, keys)
    }
    var known: [String: [CellValue]] = [:]
    let columns = try columns.map { column in
      let values = try values(of: column, objects, in: context, .shown)
      if column.hops.isEmpty, case .attribute(let key, _) = column.end { known[key] = values }
      return (
        values: values, labels: try self.labels(of: column, for: objects, keys, in: context)
      )
    }
    let labels = RowLabel.texts(of: objects, keys, known: known)
    return objects.indices.map { index in
      TableRow(
        id: ObjectReference.text(ofKey: objects[index].primaryKey),
        entity: objects[index].entityName, label: labels[index],
        cells: columns.indices.map {
          Cell(value: columns[$0].values[index], label: columns[$0].labels?[index])
        })
    }
  }

  /// Returns the values of a column. To-many relationships of objects with unsaved changes are counted individually.
  static func values(
    of column: ResultColumn, _ objects: [NSManagedObject], in context: NSManagedObjectContext,
    _ extent: ValueExtent = .whole
  ) throws -> [CellValue] {
    let values = try column.values(for: objects, in: context, extent)
    guard column.hops.isEmpty, case .toMany(let key, let destination) = column.end,
      objects.contains(where: \.hasChanges)
    else { return values }
    return zip(objects, values).map { object, value in
      guard object.hasChanges, object.entity.relationshipsByName[key] != nil else { return value }
      return .objects(
        entity: destination, count: object.objectIDs(forRelationshipNamed: key).count)
    }
  }

  /// Returns the labels of the destinations of a to-one relationship; nil for other columns.
  private static func labels(
    of column: ResultColumn, for objects: [NSManagedObject], _ keys: LabelKeys,
    in context: NSManagedObjectContext
  ) throws -> [String?]? {
    guard case .toOne(let key) = column.end else { return nil }
    var owners: [NSManagedObject?] = objects
    for hop in column.hops { owners = try context.destinations(of: hop, for: owners) }
    let unread = try owners.map { owner in
      try owner.flatMap { try $0.destinationID(forKey: key) }.map { context.object(with: $0) }
    }
    if let texts = try LargeValueRows.labels(of: unread, keys, in: context) { return texts }
    return try context.destinations(of: key, for: owners).map { $0.map(RowLabel.text) }
  }
}

/// A column for a page.
struct TableColumn: Encodable, Equatable {
  let key: String
  let title: String
  /// The attribute's type as in model files, or `Object ID`, `To One` or `To Many`.
  let type: String
  let sortable: Bool

  init(_ column: ResultColumn, of entity: NSEntityDescription) {
    key = column.title
    title = column.title
    sortable = (try? SortCheck.requireSortable(column.title, of: entity, use: "sort")) != nil
    type =
      switch column.end {
      case .objectID: "Object ID"
      case .attribute(_, let type): type.modelFileName
      case .toOne: "To One"
      case .toMany: "To Many"
      }
  }
}
