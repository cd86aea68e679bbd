import CoreData
import StoreInspection

extension ObjectChange {
  /// Moves an object, which is dragged, to a place of a table which an attribute gives its order: the fewest rows that
  /// will do get another number. The place is counted when the object is taken out.
  func move(_ object: NSManagedObject, to place: Int, inTableOf operation: EditOperation) throws {
    let entity = try store.entity(named: operation.entity)
    let query = try TableQuery(
      entity: operation.entity, condition: operation.where, sort: operation.sort)
    guard query.orderKey(of: entity) != nil else {
      throw WebFailure(status: 400, "the rows have no order that somebody gives them")
    }
    let request = try query.request(of: entity, in: context.persistentStoreCoordinator)
    request.fetchBatchSize = 100
    // One of its own: a table's controller would not tell of the move.
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    try controller.performFetch()
    let count = controller.sections?.first?.numberOfObjects ?? 0
    guard let from = controller.indexPath(forObject: object), place < count else {
      throw WebFailure(status: 409, "the rows are others now")
    }
    try controller.moveObject(from: from, to: IndexPath(row: place, section: 0))
  }
}
