import CoreData
import Foundation

/// The application's store and its one context, as tutorials have it.
final class CoreDataStack {
  let container: NSPersistentContainer

  /// - Parameter storeURL: the store's file; nil for one in memory.
  init(storeURL: URL?) throws {
    container = NSPersistentContainer(name: "Contacts")
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: storeURL ?? URL(fileURLWithPath: "/dev/null"))
    ]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    context.automaticallyMergesChangesFromParent = true
    let undoManager = UndoManager()
    // There are no events here: a change is what one command does.
    undoManager.groupsByEvent = false
    context.undoManager = undoManager
  }

  var context: NSManagedObjectContext { container.viewContext }

  /// Makes changes, saves them, and has `undo()` take them back together.
  ///
  /// What cannot be saved is not kept: a list has no form to show it in again.
  func change(_ body: () throws -> Void) throws {
    let undoManager = context.undoManager
    undoManager?.beginUndoGrouping()
    do {
      try body()
      try context.save()
      undoManager?.endUndoGrouping()
    } catch {
      undoManager?.endUndoGrouping()
      context.rollback()
      throw error
    }
  }

  func undo() throws {
    context.undo()
    try context.save()
  }

  func redo() throws {
    context.redo()
    try context.save()
  }
}
