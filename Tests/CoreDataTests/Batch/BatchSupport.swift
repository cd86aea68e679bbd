import CoreData
import Testing

extension NSManagedObjectContext {
  /// Inserts rows and returns their IDs.
  @discardableResult
  func batchInsert(_ entity: String, _ rows: [[String: Any]]) throws -> [NSManagedObjectID] {
    try batchInsert(NSBatchInsertRequest(entityName: entity, objects: rows))
  }

  @discardableResult
  func batchInsert(_ request: NSBatchInsertRequest) throws -> [NSManagedObjectID] {
    request.resultType = .objectIDs
    let result = try execute(request) as? NSBatchInsertResult
    return result?.result as? [NSManagedObjectID] ?? []
  }

  /// Updates rows and returns their IDs.
  @discardableResult
  func batchUpdate(
    _ entity: String, _ format: String? = nil, _ values: [AnyHashable: Any]
  ) throws -> [NSManagedObjectID] {
    let request = NSBatchUpdateRequest(entityName: entity)
    request.predicate = try format.map { try NSPredicate(validating: $0, arguments: []) }
    request.propertiesToUpdate = values
    request.resultType = .updatedObjectIDsResultType
    let result = try execute(request) as? NSBatchUpdateResult
    return result?.result as? [NSManagedObjectID] ?? []
  }

  /// Deletes rows and returns the IDs of all deleted rows, including those that delete rules reached.
  @discardableResult
  func batchDelete(_ entity: String, _ format: String? = nil) throws -> [NSManagedObjectID] {
    let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
    fetch.predicate = try format.map { try NSPredicate(validating: $0, arguments: []) }
    return try batchDelete(NSBatchDeleteRequest(fetchRequest: fetch))
  }

  @discardableResult
  func batchDelete(_ request: NSBatchDeleteRequest) throws -> [NSManagedObjectID] {
    request.resultType = .resultTypeObjectIDs
    let result = try execute(request) as? NSBatchDeleteResult
    return result?.result as? [NSManagedObjectID] ?? []
  }

  /// Returns one property of all objects of an entity as sorted strings, with "-" for nil.
  func column(_ entity: String, _ key: String, _ format: String? = nil) throws -> [String] {
    try all(entity, format).map { object in
      object.value(forKey: key).map { "\($0)" } ?? "-"
    }.sorted()
  }
}

extension SampleStack {
  /// Returns the sample model with two uniqueness constraints on players: the number, and the pair of name and age.
  static func makeUniqueModel() -> NSManagedObjectModel {
    let model = makeModel()
    model.entitiesByName["Player"]?.uniquenessConstraints = [["number"], ["name", "age"]]
    return model
  }
}

/// Expects an error with a code.
func expectError(
  _ code: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("no error was thrown", sourceLocation: sourceLocation)
  } catch {
    #expect((error as NSError).code == code, "\(error)", sourceLocation: sourceLocation)
  }
}
