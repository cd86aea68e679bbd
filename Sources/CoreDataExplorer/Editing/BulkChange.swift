import CoreData
import StoreInspection

/// One batch request for all rows that meet a condition. It goes directly to the store: only the new
/// values are validated, and it cannot be undone.
struct BulkChange: Sendable {
  struct Request: Decodable, Sendable {
    let entity: String
    var `where`: String?
    /// The texts of the new values, by attribute.
    var set: [String: String?]?
    var delete: Bool?
    /// The number of rows that the user confirmed, including those that the delete rules reach.
    var confirm: Int?
  }

  struct Preview: Encodable {
    struct Deleted: Encodable, Equatable {
      let entity: String
      let count: Int
    }

    /// The number of rows that meet the condition.
    let count: Int
    /// The total number of changed or deleted rows, which the user has to confirm.
    let total: Int
    /// For a deletion, the deleted rows by entity. Empty for a change, for a deletion that is forbidden, and if the
    /// rows were not counted by entity (``deletions(_:_:)``).
    let deleted: [Deleted]
    /// For a deletion, the number of remaining rows that are removed from a relationship.
    let unlinked: Int
    /// Why a delete rule forbids the deletion, or which required relationship it would empty; nil if neither is the
    /// case.
    let denied: String?
    let sample: [TableRow]
    /// The effect of a change on the rows of the sample.
    let changes: [[UnsavedSummary.Key]]
    /// The statement that finds the rows.
    let sql: String?
  }

  struct Done: Encodable {
    let count: Int
  }

  private static let sampleSize = 5

  let request: Request
  let store: OpenedStore

  /// Determines the effect in advance. A deletion whose delete rules may affect rows that do not meet the condition is
  /// performed and rolled back.
  func preview(in context: NSManagedObjectContext) async throws -> Preview {
    let entity = try store.entity(named: request.entity)
    return try await context.performInterruptibly {
      let values = try values(of: entity, in: context)
      let query = try RowSelection(
        entity: entity, where: condition, in: context.persistentStoreCoordinator)
      let reach =
        try request.delete == true && Self.mayAffectOtherRows(entity)
        ? rehearse(query, in: context) : nil
      return try query.fetching {
        let sampled = query.request()
        sampled.fetchLimit = Self.sampleSize
        // A batch request changes stored rows only, so the preview shows stored values.
        sampled.includesPendingChanges = false
        let columns = ResultColumn.all(of: entity).filter { $0.end != .objectID }
        let objects = try context.fetch(sampled)
        let count = try count(query, in: context)
        return Preview(
          count: count, total: reach?.figures.total ?? count,
          deleted: (reach?.figures.deleted ?? deletions(entity, count))
            .sorted { $0.key < $1.key }.map { Preview.Deleted(entity: $0.key, count: $0.value) },
          unlinked: reach?.figures.unlinked ?? 0, denied: reach?.denied,
          sample: try TableRow.rows(of: objects, columns, in: context),
          changes: values.isEmpty ? [] : objects.map { Self.changes(of: $0, to: values) },
          sql: try context.explain(query.request()).first?.formattedSQL)
      }
    }
  }

  /// Performs the change.
  ///
  /// - Throws: ``WebFailure`` if the number of rows differs from the confirmed one, or there are unsaved changes;
  ///   errors in the condition and in the new values; errors of the store.
  func carryOut(in context: NSManagedObjectContext) async throws -> Done {
    let entity = try store.entity(named: request.entity)
    return try await context.perform {
      // A batch request bypasses the context, so a later save of the unsaved changes would conflict
      // with it.
      guard !context.hasChanges else {
        throw WebFailure(
          status: 409, "there are unsaved changes: save or discard them first")
      }
      let query = try RowSelection(
        entity: entity, where: condition, in: context.persistentStoreCoordinator)
      if request.delete == true {
        return Done(count: try delete(query, in: context) { try confirm($0.total) })
      }
      let rows = try query.fetching { try ids(query, in: context) }
      try confirm(rows.count)
      return Done(count: try query.fetching { try update(rows, query, in: context) })
    }
  }

  private var condition: String? { request.where.flatMap { $0.isEmpty ? nil : $0 } }

  private func confirm(_ count: Int) throws {
    // Rows may have been written since the preview that the user confirmed.
    guard count == request.confirm else {
      throw WebFailure(
        status: 409,
        "since the preview, the number of rows has changed to \(CountText.grouped(count)); nothing was changed"
      )
    }
  }

  private func count(_ query: RowSelection, in context: NSManagedObjectContext) throws -> Int {
    let counted = query.request()
    counted.includesPendingChanges = false
    return try context.count(for: counted)
  }

  // MARK: Deleting

  /// Thrown at the end of a rehearsal, so that nothing is committed.
  private struct Rehearsed: Error {
    let figures: BatchDeletionFigures
  }

  /// Returns whether a deletion may affect rows that do not meet the condition; only then is it rehearsed,
  /// because a rehearsal blocks other writers.
  private static func mayAffectOtherRows(_ entity: NSEntityDescription) -> Bool {
    !entity.relationshipsByName.isEmpty || entity.subentities.contains(where: mayAffectOtherRows)
  }

  /// Returns the number of rows that a deletion without delete rules deletes, by entity. Empty for a change, if there
  /// are no rows, and for an entity with subentities, because the rows were not counted by entity.
  private func deletions(_ entity: NSEntityDescription, _ count: Int) -> [String: Int] {
    request.delete == true && entity.subentities.isEmpty && count > 0
      ? [entity.name ?? "": count] : [:]
  }

  private func rehearse(
    _ query: RowSelection, in context: NSManagedObjectContext
  ) throws -> (figures: BatchDeletionFigures, denied: String?) {
    var denied: String?
    do {
      _ = try delete(query, in: context) { throw Rehearsed(figures: $0) }
    } catch let rehearsed as Rehearsed {
      return (rehearsed.figures, nil)
    } catch let error as NSError where Self.isDenial(error) {
      denied = error.localizedDescription.withoutFullStop
    }
    return (BatchDeletionFigures(deleted: [:], unlinked: 0), denied)
  }

  private static func isDenial(_ error: NSError) -> Bool {
    error.domain == NSCocoaErrorDomain
      && [NSValidationRelationshipDeniedDeleteError, NSValidationMissingMandatoryPropertyError]
        .contains(error.code)
  }

  /// Lets the store delete the rows, unless `check` throws.
  private func delete(
    _ query: RowSelection, in context: NSManagedObjectContext,
    _ check: @escaping (BatchDeletionFigures) throws -> Void
  ) throws -> Int {
    let found = NSFetchRequest<any NSFetchRequestResult>(entityName: query.entity.name ?? "")
    found.predicate = query.predicate
    let batch = NSBatchDeleteRequest(fetchRequest: found)
    // The IDs are needed to merge the deletion into the context.
    batch.resultType = .resultTypeObjectIDs
    batch.beforeCommit = check
    let result = try context.execute(batch) as? NSBatchDeleteResult
    return merge(result?.result, NSDeletedObjectsKey, into: context)
  }

  // MARK: Changing

  private static func changes(
    of object: NSManagedObject, to values: [String: Any]
  ) -> [UnsavedSummary.Key] {
    values.sorted { $0.key < $1.key }.map { key, value in
      let property = object.entity.propertiesByName[key]
      return UnsavedSummary.Key(
        key: key, old: Cell(object.value(forKey: key), of: property),
        new: Cell(value, of: property))
    }
  }

  private func values(
    of entity: NSEntityDescription, in context: NSManagedObjectContext
  ) throws -> [String: Any] {
    guard request.delete != true else { return [:] }
    guard let set = request.set, !set.isEmpty else {
      throw WebFailure(status: 400, "the request changes nothing")
    }
    return try set.reduce(into: [:]) { values, pair in
      let value = try EditedText.value(of: pair.value, for: pair.key, of: entity, in: context)
      try PropertyValue.validate(value, forKey: pair.key, of: entity)
      values[pair.key] = value ?? NSNull()
    }
  }

  private func ids(
    _ query: RowSelection, in context: NSManagedObjectContext
  ) throws -> [NSManagedObjectID] {
    let found = NSFetchRequest<NSManagedObjectID>(entityName: query.entity.name ?? "")
    found.predicate = query.predicate
    found.resultType = .managedObjectIDResultType
    found.includesPendingChanges = false
    return try context.fetch(found)
  }

  /// Updates the confirmed rows that still meet the condition. Another process may have changed rows since they were
  /// found.
  private func update(
    _ rows: [NSManagedObjectID], _ query: RowSelection, in context: NSManagedObjectContext
  ) throws -> Int {
    let batch = NSBatchUpdateRequest(entity: query.entity)
    let confirmed = NSPredicate(format: "SELF IN %@", rows as NSArray)
    batch.predicate =
      query.predicate.map { NSCompoundPredicate(andPredicateWithSubpredicates: [$0, confirmed]) }
      ?? confirmed
    batch.propertiesToUpdate = try values(of: query.entity, in: context)
    // The IDs are needed to merge the change into the context.
    batch.resultType = .updatedObjectIDsResultType
    let result = try context.execute(batch) as? NSBatchUpdateResult
    return merge(result?.result, NSUpdatedObjectsKey, into: context)
  }

  /// Merges the changes of a batch into the context without loading objects.
  private func merge(_ result: Any?, _ key: String, into context: NSManagedObjectContext) -> Int {
    let ids = result as? [NSManagedObjectID] ?? []
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [key: ids], into: [context])
    return ids.count
  }
}
