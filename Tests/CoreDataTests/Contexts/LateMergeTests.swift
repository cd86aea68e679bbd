import CoreDataTestSupport
import Foundation

@testable import CoreData

/// Shared by the tests of merges that arrive late: after another save has deleted or restored the row.
protocol LateMergeTests {}

extension LateMergeTests {
  /// Deletes an object in another context, and returns the notifications of its saves.
  func delete(
    _ id: NSManagedObjectID, in other: NSManagedObjectContext, undo: Bool = false
  ) throws -> [Notification] {
    let saved = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      if undo { other.undoManager = UndoManager() }
      let object = try other.existingObject(with: id)
      other.processPendingChanges()
      other.undoManager?.removeAllActions()
      other.delete(object)
      try other.save()
      if undo {
        other.undo()
        try other.save()
      }
    }
    return saved.notifications
  }

  /// Returns a controller of all objects of an entity, and its table.
  func controller(
    _ context: NSManagedObjectContext, of entity: String = "Player", sort: String = "name",
    batchSize: Int = 0
  ) throws -> (NSFetchedResultsController<NSManagedObject>, RecordingTable) {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
    request.fetchBatchSize = batchSize
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let table = RecordingTable(traps: false)
    controller.delegate = table
    try controller.performFetch()
    table.load(controller)
    return (controller, table)
  }
}
