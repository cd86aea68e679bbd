import CoreData
import StoreInspection

extension ObjectChange {
  /// Moves an object to a position in a table that is ordered by an attribute. Renumbers as few rows as possible.
  ///
  /// - Parameter place: The index of the object's row after the move.
  func move(_ object: NSManagedObject, to place: Int, inTableOf operation: EditOperation) throws {
    let entity = try store.entity(named: operation.entity)
    let query = try TableQuery(
      entity: operation.entity, condition: operation.where, sort: operation.sort)
    guard query.orderKey(of: entity) != nil else {
      throw WebFailure(
        status: 400, "rows can be moved only while they are sorted by an order attribute")
    }
    let request = try query.request(of: entity, in: context.persistentStoreCoordinator)
    request.fetchBatchSize = 100
    // Use a separate controller, because a table's controller would not report the move.
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    try controller.performFetch()
    let count = controller.sections?.first?.numberOfObjects ?? 0
    guard let from = controller.indexPath(forObject: object), place < count else {
      throw WebFailure(status: 409, "the rows have changed: move the row again")
    }
    try controller.moveObject(from: from, to: IndexPath(row: place, section: 0))
  }
}
