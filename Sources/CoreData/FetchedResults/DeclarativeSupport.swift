// What results in declarative code ask for.
extension NSFetchedResultsController {
  /// How many rows there are in all sections.
  package var rowCount: Int { results?.count ?? 0 }

  /// The object of a row, counted through all sections. One that does not exist stops the program.
  package func requiredObject(atRow row: Int) -> ResultType {
    guard let results, row >= 0, row < results.count,
      let object = result(atRank: results.shown.lowerBound + row, in: results)
    else { stopProgram("no object at index \(row) of \(rowCount) fetched results") }
    return object
  }

  /// The objects of rows, counted through all sections; those that do not exist are left out.
  ///
  /// - Parameter areRead: whether their rows are read at once, rather than when the first value is asked for.
  package func objects(inRows rows: Range<Int>, areRead: Bool = true) -> [ResultType] {
    guard let results else { return [] }
    let shown = results.shown
    let ranks = (shown.lowerBound + rows.lowerBound..<shown.lowerBound + rows.upperBound)
      .clamped(to: shown)
    if !returnsIDs, let objects = results.objectsReadTogether(ranks, now: areRead) {
      // A cast takes them one by one.
      return ResultType.self == NSManagedObject.self
        ? unsafeBitCast(objects, to: [ResultType].self) : objects.compactMap(result)
    }
    return ranks.compactMap { result(atRank: $0, in: results) }
  }

  /// How many sections there are.
  package var sectionCount: Int {
    guard let results, results.count > 0 else { return 0 }
    return results.sectionCount
  }

  /// How many rows a section has.
  package func rowCount(ofSection section: Int) -> Int {
    guard let results, section < results.sectionCount else { return 0 }
    return results.ranks(ofSection: section).count
  }
}

extension NSManagedObjectContext {
  /// The context whose queue the caller was put on last, if it still is there.
  package static var present: NSManagedObjectContext? { ContextQueue.presentContext }

  /// The entity of the context's model whose objects are of a class.
  ///
  /// - Throws: `NSCoreDataError` where there is none.
  package func entity(ofClass type: Any.Type) throws -> NSEntityDescription {
    guard let layouts else { throw noCoordinator }
    let layout = layouts.entities.first { $0.managedObjectClass == type }
    guard type is NSManagedObject.Type, let layout else {
      throw CoreDataError.badRequest("the context's model has no entity of class \(type)")
    }
    return layout.entity
  }
}
