// The part of a controller that `DeclarativeCoreData` uses.
extension NSFetchedResultsController {
  /// The number of rows in all sections.
  package var rowCount: Int { results?.count ?? 0 }

  /// Returns the object of a row. Rows are counted across all sections. Stops the program if there is no such row.
  package func requiredObject(atRow row: Int) -> ResultType {
    guard let results, row >= 0, row < results.count,
      let object = result(atRank: results.shown.lowerBound + row, in: results)
    else { stopProgram("no object at index \(row) of \(rowCount) fetched results") }
    return object
  }

  /// Returns the objects of a range of rows. Rows are counted across all sections, and rows that do not exist are left
  /// out.
  ///
  /// - Parameter areRead: Whether to read their values now, if they can be read together, rather than when the first
  ///   value is accessed.
  package func objects(inRows rows: Range<Int>, areRead: Bool = true) -> [ResultType] {
    guard let results else { return [] }
    let shown = results.shown
    let ranks = (shown.lowerBound + rows.lowerBound..<shown.lowerBound + rows.upperBound)
      .clamped(to: shown)
    if !returnsIDs, let objects = results.objectsReadTogether(ranks, now: areRead) {
      // A cast of the array would visit each element.
      return ResultType.self == NSManagedObject.self
        ? unsafeBitCast(objects, to: [ResultType].self) : objects.compactMap(result)
    }
    return ranks.compactMap { result(atRank: $0, in: results) }
  }

  /// The number of sections.
  package var sectionCount: Int {
    guard let results, results.count > 0 else { return 0 }
    return results.sectionCount
  }

  /// Returns the number of rows of a section.
  package func rowCount(ofSection section: Int) -> Int {
    guard let results, section < results.sectionCount else { return 0 }
    return results.ranks(ofSection: section).count
  }
}

extension NSManagedObjectContext {
  /// The context of the innermost queue that the caller runs on, or nil if it runs on no context's queue.
  package static var present: NSManagedObjectContext? { ContextQueue.presentContext }

  /// Returns the entity of the context's model whose objects are instances of a class.
  ///
  /// - Throws: `NSCoreDataError` if no entity has the class, or if the context has no coordinator.
  package func entity(ofClass type: Any.Type) throws -> NSEntityDescription {
    guard let layouts else { throw noCoordinator }
    let layout = layouts.entities.first { $0.managedObjectClass == type }
    guard type is NSManagedObject.Type, let layout else {
      throw CoreDataError.badRequest("the context's model has no entity of class \(type)")
    }
    return layout.entity
  }
}
