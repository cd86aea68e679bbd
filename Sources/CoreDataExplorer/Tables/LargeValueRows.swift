import CoreData
import StoreInspection

/// Rows whose binary attributes contain more bytes than a page should read. Reads the other values that a page shows;
/// for binary attributes, the store returns only the number of bytes.
struct LargeValueRows {
  /// The maximum number of bytes in the objects of a page, so that a page of any store takes bounded memory and time.
  static let limit = 32 << 20

  private let objects: [NSManagedObject]
  private let context: NSManagedObjectContext

  /// Returns nil if the objects have so few bytes that all of them can be read.
  init?(_ objects: [NSManagedObject], _ keys: LabelKeys, in context: NSManagedObjectContext) throws
  {
    self.objects = objects
    self.context = context
    guard Self.mayBe(objects, keys) else { return nil }
    var total = 0
    for (entity, saved) in Self.unread(objects) {
      let names = keys.bytes(of: entity)
      if names.isEmpty { continue }
      let columns = names.map { Self.column($0, "\($0).length", .integer64AttributeType) }
      for row in try Self.fetch(columns, of: saved, entity, in: context).values {
        total += names.reduce(0) { $0 + ((row[$1] as? NSNumber)?.intValue ?? 0) }
      }
    }
    guard total > Self.limit else { return nil }
  }

  /// Reads the labels of objects without the bytes of their binary attributes; returns nil if none of the objects has
  /// such an attribute.
  static func labels(
    of objects: [NSManagedObject?], _ keys: LabelKeys, in context: NSManagedObjectContext
  ) throws -> [String?]? {
    let present = objects.compactMap { $0 }
    guard mayBe(present, keys) else { return nil }
    var texts: [ObjectIdentifier: String] = [:]
    for (entity, saved) in unread(present) {
      let columns = keys.key(of: entity).map { [column("label", $0.name, .stringAttributeType)] }
      let values = try fetch(columns ?? [], of: saved, entity, in: context)
      for object in saved {
        texts[ObjectIdentifier(object)] = label(values[object.objectID]?["label"], of: object)
      }
    }
    return objects.map { object in
      object.map { texts[ObjectIdentifier($0)] ?? RowLabel.text(of: $0) }
    }
  }

  private static func label(_ value: Any?, of object: NSManagedObject) -> String {
    let text = value as? String ?? ""
    return text.isEmpty ? RowLabel.name(of: object) : text.shortened(to: RowLabel.length)
  }

  /// Returns whether some of the objects have binary attributes in their rows.
  private static func mayBe(_ objects: [NSManagedObject], _ keys: LabelKeys) -> Bool {
    var last: NSManagedObject?
    for object in objects {
      // Consecutive objects are usually of the same entity.
      if let last, object.hasEntity(of: last) { continue }
      if !keys.bytes(of: object.entity).isEmpty { return true }
      last = object
    }
    return false
  }

  /// Returns the binary attributes of an entity whose data is in its rows.
  static func bytes(of entity: NSEntityDescription) -> [String] {
    entity.attributesByName.values
      .filter {
        $0.attributeType == .binaryDataAttributeType && !$0.isTransient
          && !$0.allowsExternalBinaryDataStorage
      }
      .map(\.name).sorted()
  }

  /// Returns whether neither an entity nor its subentities have binary attributes in their rows.
  static func hasNoBinaryAttributes(in entity: NSEntityDescription) -> Bool {
    bytes(of: entity).isEmpty && entity.subentities.allSatisfy { hasNoBinaryAttributes(in: $0) }
  }

  /// Returns the same rows as ``TableRow/rows(of:_:in:named:)``.
  func rows(_ columns: [ResultColumn], _ keys: LabelKeys) throws -> [TableRow] {
    var rows: [ObjectIdentifier: TableRow] = [:]
    for (entity, saved) in Self.unread(objects) {
      let label = keys.key(of: entity)?.name
      let values = try Self.fetch(
        columns.enumerated().compactMap { place, column in
          Self.expression(of: column, as: String(place), bytes: keys.bytes(of: entity))
        } + (label.map { [Self.column("label", $0, .stringAttributeType)] } ?? []),
        of: saved, entity, in: context)
      let counts = try columns.map { try count($0, of: saved) }
      for (index, object) in saved.enumerated() {
        let row = values[object.objectID] ?? [:]
        let cells = columns.indices.map { place in
          Self.cell(columns[place], row[String(place)], counts[place]?[index], of: object)
        }
        rows[ObjectIdentifier(object)] = TableRow(
          id: ObjectReference.text(ofKey: object.primaryKey), entity: object.entityName,
          label: Self.label(row["label"], of: object), cells: cells)
      }
    }
    return try objects.flatMap { object in
      if let row = rows[ObjectIdentifier(object)] { return [row] }
      return try TableRow.rows(of: [object], columns, in: context, named: keys)
    }
  }

  /// Returns the objects without changes whose rows have not been read yet, by entity.
  private static func unread(
    _ objects: [NSManagedObject]
  ) -> [(NSEntityDescription, [NSManagedObject])] {
    let unread = objects.filter { $0.isFault && !$0.hasChanges && !$0.objectID.isTemporaryID }
    return Dictionary(grouping: unread) { ObjectIdentifier($0.entity) }.values
      .map { ($0[0].entity, $0) }
  }

  /// Returns the expression to fetch for a column: a value, a number of bytes, or the ID of a destination; nil for
  /// to-many relationships and for the row's own ID.
  private static func expression(
    of column: ResultColumn, as name: String, bytes: [String]
  ) -> NSExpressionDescription? {
    func path(_ key: String) -> String { (column.hops + [key]).joined(separator: ".") }
    switch column.end {
    case .attribute(let key, _) where column.hops.isEmpty && bytes.contains(key):
      return Self.column(name, key + ".length", .integer64AttributeType)
    case .attribute(let key, let type): return Self.column(name, path(key), type)
    case .toOne(let key): return Self.column(name, path(key), .objectIDAttributeType)
    case .objectID:
      return column.hops.isEmpty
        ? nil
        : Self.column(name, column.hops.joined(separator: "."), .objectIDAttributeType)
    case .toMany: return nil
    }
  }

  private func count(_ column: ResultColumn, of saved: [NSManagedObject]) throws -> [Int]? {
    guard case .toMany(let key, _) = column.end else { return nil }
    var owners: [NSManagedObject?] = saved
    for hop in column.hops { owners = try context.destinations(of: hop, for: owners) }
    return try context.memberCounts(of: key, for: owners)
  }

  private static func cell(
    _ column: ResultColumn, _ value: Any?, _ count: Int?, of object: NSManagedObject
  ) -> Cell {
    if case .toMany(_, let destination) = column.end {
      return Cell(value: count.map { .objects(entity: destination, count: $0) } ?? .null)
    }
    if case .objectID = column.end, column.hops.isEmpty {
      return Cell(value: .row(object.objectID))
    }
    guard let value else { return Cell(value: .null) }
    switch column.end {
    case .attribute(_, .binaryDataAttributeType) where value is NSNumber:
      return Cell(value: .null, unreadSize: (value as? NSNumber)?.intValue)
    case .attribute(_, let type): return Cell(value: CellValue(value, type))
    case .toOne, .toMany, .objectID:
      return Cell(value: (value as? NSManagedObjectID).map { .row($0) } ?? .null)
    }
  }

  private static func column(
    _ name: String, _ keyPath: String, _ type: NSAttributeType
  ) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = NSExpression(forKeyPath: keyPath)
    column.expressionResultType = type
    return column
  }

  /// Fetches values of saved objects of one entity, by ID.
  private static func fetch(
    _ columns: [NSExpressionDescription], of objects: [NSManagedObject],
    _ entity: NSEntityDescription, in context: NSManagedObjectContext
  ) throws -> [NSManagedObjectID: [String: Any]] {
    let id = NSExpressionDescription()
    id.name = "id"
    id.expression = NSExpression.expressionForEvaluatedObject()
    id.expressionResultType = .objectIDAttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: entity.name ?? "")
    request.predicate = try NSPredicate(validating: "SELF IN %@", arguments: [objects])
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [id] + columns
    var rows: [NSManagedObjectID: [String: Any]] = [:]
    for case let row as [String: Any] in try context.fetch(request) {
      if let id = row["id"] as? NSManagedObjectID { rows[id] = row }
    }
    return rows
  }
}
