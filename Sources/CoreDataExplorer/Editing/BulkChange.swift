import CoreData
import ObjectModel
import StoreInspection

/// One batch request over all rows of a condition: it goes to the store at once, past validation and undo.
struct BulkChange: Sendable {
  struct Request: Decodable, Sendable {
    let entity: String
    var `where`: String?
    /// Attributes with the texts of their new values.
    var set: [String: String?]?
    var delete: Bool?
    /// How many rows the person was told of.
    var confirm: Int?
  }

  struct Preview: Encodable {
    let count: Int
    let sample: [TableRow]
    /// The statement that finds the rows.
    let sql: String?
  }

  struct Done: Encodable {
    let count: Int
  }

  private static let sampleSize = 5

  let request: Request
  let store: OpenedStore

  /// What it is about, before it is done.
  func preview(in context: NSManagedObjectContext) async throws -> Preview {
    let entity = try store.entity(named: request.entity)
    return try await context.performInterruptibly {
      _ = try values(of: entity, in: context)
      let query = try RowQuery(entity: entity, where: condition)
      return try query.fetching {
        let sampled = query.request()
        sampled.fetchLimit = Self.sampleSize
        sampled.includesPendingChanges = false
        let columns = ResultColumn.all(of: entity).filter { $0.end != .objectID }
        return Preview(
          count: try count(query, in: context),
          sample: try TableRow.rows(of: try context.fetch(sampled), columns, in: context),
          sql: try context.explain(query.request()).first?.formattedSQL)
      }
    }
  }

  /// Does it.
  ///
  /// - Throws: ``WebFailure`` where the rows are not as many as were confirmed, or changes wait to be saved.
  func carryOut(in context: NSManagedObjectContext) async throws -> Done {
    let entity = try store.entity(named: request.entity)
    return try await context.perform {
      guard !context.hasChanges else {
        throw WebFailure(
          status: 409, "there are changes that are not saved: save or discard them first")
      }
      let query = try RowQuery(entity: entity, where: condition)
      let found = try query.fetching { try count(query, in: context) }
      guard found == request.confirm else {
        throw WebFailure(status: 409, "there are \(CountText.rows(found)) now")
      }
      return Done(count: try query.fetching { try execute(query, entity, in: context) })
    }
  }

  private var condition: String? { request.where.flatMap { $0.isEmpty ? nil : $0 } }

  private func count(_ query: RowQuery, in context: NSManagedObjectContext) throws -> Int {
    let counted = query.request()
    counted.includesPendingChanges = false
    return try context.count(for: counted)
  }

  private func values(
    of entity: NSEntityDescription, in context: NSManagedObjectContext
  ) throws -> [String: Any] {
    guard request.delete != true else { return [:] }
    guard let set = request.set, !set.isEmpty else {
      throw WebFailure(status: 400, "nothing is to be changed")
    }
    return try set.reduce(into: [:]) { values, pair in
      values[pair.key] =
        try EditedText.value(of: pair.value, for: pair.key, of: entity, in: context) ?? NSNull()
    }
  }

  private func execute(
    _ query: RowQuery, _ entity: NSEntityDescription, in context: NSManagedObjectContext
  ) throws -> Int {
    if request.delete == true {
      let found = NSFetchRequest<any NSFetchRequestResult>(entityName: entity.name ?? "")
      found.predicate = query.predicate
      let batch = NSBatchDeleteRequest(fetchRequest: found)
      batch.resultType = .resultTypeObjectIDs
      let result = try context.execute(batch) as? NSBatchDeleteResult
      return merge(result?.result, NSDeletedObjectsKey, into: context)
    }
    let batch = NSBatchUpdateRequest(entity: entity)
    batch.predicate = query.predicate
    batch.propertiesToUpdate = try values(of: entity, in: context)
    batch.resultType = .updatedObjectIDsResultType
    let result = try context.execute(batch) as? NSBatchUpdateResult
    return merge(result?.result, NSUpdatedObjectsKey, into: context)
  }

  /// Tells the context what a batch did: it never loads objects.
  private func merge(_ result: Any?, _ key: String, into context: NSManagedObjectContext) -> Int {
    let ids = result as? [NSManagedObjectID] ?? []
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [key: ids], into: [context])
    return ids.count
  }
}
