import CoreData
import StoreInspection

/// A row that is dragged to another place of a table which an attribute gives its order: the fewest rows that will
/// do get another number.
struct RowMove {
  /// The attribute that gives the rows their order.
  let key: String
  private let controller: NSFetchedResultsController<NSManagedObject>

  init(
    _ operation: EditOperation, of entity: NSEntityDescription, in context: NSManagedObjectContext
  ) throws {
    let query = try TableQuery(
      entity: entity.name ?? "", condition: operation.where, sort: operation.sort)
    guard let key = query.orderKey(of: entity) else {
      throw WebFailure(status: 400, "the rows have no order that somebody gives them")
    }
    self.key = key
    let request = try query.request(of: entity, in: context.persistentStoreCoordinator)
    request.fetchBatchSize = 100
    // One of its own: a table's controller would not tell of the move.
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
  }

  /// Moves an object to a place, counted when it is taken out.
  func carryOut(_ object: NSManagedObject, to place: Int) throws {
    try controller.performFetch()
    let count = controller.sections?.first?.numberOfObjects ?? 0
    guard let from = controller.indexPath(forObject: object), place < count else {
      throw WebFailure(status: 409, "the rows are others now")
    }
    try controller.moveObject(from: from, to: IndexPath(row: place, section: 0))
  }
}
