import CoreData
import StoreInspection

/// A page of the objects in a relationship.
struct RelatedRows: Encodable {
  /// How many columns of the related entity are shown beside the labels.
  private static let columnCount = 4

  let total: CappedCount
  let rows: [TableRow]
  let columns: [TableColumn]

  /// Reads members of an object's relationship.
  ///
  /// Call it on the context's queue.
  init(
    of object: NSManagedObject, _ relationship: NSRelationshipDescription, offset: Int, limit: Int,
    in context: NSManagedObjectContext
  ) throws {
    let entity = relationship.destinationEntity ?? object.entity
    if let request = try Self.request(members: relationship, of: object) {
      try self.init(request, of: entity, offset: offset, limit: limit, in: context)
    } else {
      let ids = object.objectIDs(forRelationshipNamed: relationship.name)
      let sorted = relationship.isOrdered ? ids : ids.sorted { $0.primaryKey < $1.primaryKey }
      try self.init(
        sorted.dropFirst(offset).prefix(limit).map { context.object(with: $0) }, total: ids.count,
        of: entity, in: context)
    }
  }

  /// Reads the objects of an entity that refer to an object by a relationship without an inverse.
  ///
  /// Call it on the context's queue.
  init(
    naming object: NSManagedObject, _ relationship: NSRelationshipDescription,
    of entity: NSEntityDescription, offset: Int, limit: Int, in context: NSManagedObjectContext
  ) throws {
    let request = try Self.request(naming: object, relationship, of: entity)
    try self.init(request, of: entity, offset: offset, limit: limit, in: context)
  }

  private init(
    _ request: NSFetchRequest<NSManagedObject>, of entity: NSEntityDescription, offset: Int,
    limit: Int, in context: NSManagedObjectContext
  ) throws {
    request.fetchLimit = CappedCount.limit + 1
    // Counting stops at one above the cap, which is enough to show that there are more rows.
    let total = try context.count(for: request)
    request.fetchOffset = offset
    request.fetchLimit = limit
    // Rows with binary data are read later, and without the data if it is large.
    request.includesPropertyValues = LargeValueRows.hasNoBinaryAttributes(in: entity)
    try self.init(try context.fetch(request), total: total, of: entity, in: context)
  }

  private init(
    _ objects: [NSManagedObject], total: Int, of entity: NSEntityDescription,
    in context: NSManagedObjectContext
  ) throws {
    let own = ResultColumn.all(of: entity).filter { column in
      if case .attribute = column.end { true } else { false }
    }
    let shown = Array(own.prefix(Self.columnCount))
    self.total = CappedCount(count: total)
    rows = try TableRow.rows(of: objects, shown, in: context)
    columns = shown.map { TableColumn($0, of: entity) }
  }

  /// Returns a request that finds a relationship's members by its inverse, so that a page does not read all of them.
  /// Nil if the relationship is ordered or has no inverse, or the object's ID is temporary.
  static func request(
    members relationship: NSRelationshipDescription, of object: NSManagedObject
  ) throws -> NSFetchRequest<NSManagedObject>? {
    guard !relationship.isOrdered, !object.objectID.isTemporaryID,
      let inverse = relationship.inverseRelationship, let entity = relationship.destinationEntity
    else { return nil }
    return try request(naming: object, inverse, of: entity)
  }

  private static func request(
    naming object: NSManagedObject, _ relationship: NSRelationshipDescription,
    of entity: NSEntityDescription
  ) throws -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    // Property names may be reserved words of the predicate language, so the key path is passed as an expression.
    let path = NSExpression(forKeyPath: relationship.name)
    request.predicate = NSComparisonPredicate(
      leftExpression: path, rightExpression: NSExpression(forConstantValue: object),
      modifier: relationship.isToMany ? .any : .direct, type: .equalTo, options: [])
    return request
  }

  /// Returns the number of members of a to-many relationship. A request counts up to one above the cap; without a
  /// request (``request(members:of:)``), the number is exact.
  static func count(
    _ relationship: NSRelationshipDescription, of object: NSManagedObject,
    in context: NSManagedObjectContext
  ) throws -> Int {
    guard let request = try request(members: relationship, of: object) else {
      return object.objectIDs(forRelationshipNamed: relationship.name).count
    }
    request.fetchLimit = CappedCount.limit + 1
    return try context.count(for: request)
  }
}
