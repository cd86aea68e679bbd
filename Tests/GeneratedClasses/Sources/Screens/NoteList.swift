import CoreData

/// The contents of a screen, isolated to the main actor.
final class NoteList: NSObject, NSFetchedResultsControllerDelegate {
  private let container: NSPersistentContainer
  private let results: NSFetchedResultsController<Note>
  private(set) var reports = 0

  init(container: NSPersistentContainer) throws {
    self.container = container
    container.viewContext.automaticallyMergesChangesFromParent = true
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    results = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: container.viewContext, sectionNameKeyPath: nil,
      cacheName: nil)
    super.init()
    results.delegate = self
    try results.performFetch()
  }

  var titles: [String] { results.fetchedObjects?.compactMap(\.title) ?? [] }

  /// Adds notes in the background.
  func add(_ titles: [String]) async throws -> Int {
    let context = container.newBackgroundContext()
    let undoManager = UndoManager()
    return try await context.perform {
      context.undoManager = undoManager
      let folder = Folder(context: context)
      folder.name = "All"
      let notes = titles.map { title in
        let note = Note(context: context)
        note.title = title
        note.folder = folder
        return note
      }
      let added = notes.count { $0.isNew }
      try context.saveIfNeeded()
      return added
    }
  }

  /// Adds a note in a context of its own, and returns the number of notes.
  func add(_ title: String) async throws -> Int {
    try await container.performBackgroundTask { context in
      let note = Note(context: context)
      note.title = title
      try context.saveIfNeeded()
      return try context.count(for: Note.fetchRequest())
    }
  }

  func rename(_ title: String) throws {
    let context = container.viewContext
    try context.performAndWait {
      results.fetchedObjects?.first?.title = title
      try context.saveIfNeeded()
    }
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    reports += 1
  }
}
