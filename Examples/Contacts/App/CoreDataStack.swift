import CoreData
import Foundation

/// The application's store and its only context, as in tutorials.
final class CoreDataStack {
  let container: NSPersistentContainer

  /// - Parameter storeURL: The store's file; nil for a store in memory.
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
    // There is no event loop that could group changes: `change(_:)` makes one undo group for each command.
    undoManager.groupsByEvent = false
    context.undoManager = undoManager
  }

  var context: NSManagedObjectContext { container.viewContext }

  /// Makes changes and saves them, as one group for `undo()`.
  ///
  /// Changes that cannot be saved are undone, because the lists have no form to correct them in.
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
