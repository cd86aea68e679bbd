import CoreData
import Foundation

/// A table of the results of a fetched results controller, like the view controllers in Core Data tutorials.
class FetchedList<Object: NSManagedObject>: NSObject, ContactList, TerminalTableDataSource,
  NSFetchedResultsControllerDelegate
{
  let stack: CoreDataStack
  let tableView: TerminalTable
  let fetchedResultsController: NSFetchedResultsController<Object>
  var context: NSManagedObjectContext { stack.context }

  init(
    _ stack: CoreDataStack, _ tableView: TerminalTable, _ request: NSFetchRequest<Object>,
    sectionNameKeyPath: String? = nil
  ) {
    self.stack = stack
    self.tableView = tableView
    request.fetchBatchSize = 20
    fetchedResultsController = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: stack.context,
      sectionNameKeyPath: sectionNameKeyPath, cacheName: nil)
    super.init()
  }

  // MARK: Properties of a list

  var title: String { "" }
  var usage: String { "" }

  /// The key paths that `find` searches.
  var searchedKeyPaths: [String] { [] }

  func text(of object: Object) -> String { "" }

  func header(of section: any NSFetchedResultsSectionInfo) -> String? { nil }

  func insert(_ words: [String]) throws {}

  // MARK: Commands

  func show() throws {
    tableView.dataSource = self
    fetchedResultsController.delegate = self
    try fetchedResultsController.performFetch()
    tableView.reloadData()
  }

  func add(_ words: [String]) throws {
    try stack.change { try insert(words) }
  }

  func delete(number: Int) throws {
    let object = fetchedResultsController.object(at: try indexPath(number))
    try stack.change { context.delete(object) }
  }

  func move(number: Int, to newNumber: Int) throws {
    let old = try indexPath(number)
    let new = try indexPath(newNumber)
    try stack.change { try fetchedResultsController.moveObject(from: old, to: new) }
  }

  func find(_ text: String) throws {
    fetchedResultsController.fetchRequest.predicate =
      text.isEmpty
      ? nil
      : NSCompoundPredicate(
        orPredicateWithSubpredicates: searchedKeyPaths.map {
          NSPredicate(format: "%K CONTAINS[cd] %@", $0, text)
        })
    try fetchedResultsController.performFetch()
    tableView.reloadData()
  }

  func indexPath(_ number: Int) throws -> IndexPath {
    guard let path = tableView.indexPath(ofNumber: number) else {
      throw Refusal(description: "there is no row \(number)")
    }
    return path
  }

  // MARK: TerminalTableDataSource

  func numberOfSections(in table: TerminalTable) -> Int {
    fetchedResultsController.sections?.count ?? 0
  }

  func tableView(_ table: TerminalTable, numberOfRowsInSection section: Int) -> Int {
    fetchedResultsController.sections?[section].numberOfObjects ?? 0
  }

  func tableView(_ table: TerminalTable, titleForHeaderInSection section: Int) -> String? {
    (fetchedResultsController.sections?[section]).flatMap(header)
  }

  func tableView(_ table: TerminalTable, textForRowAt indexPath: IndexPath) -> String {
    text(of: fetchedResultsController.object(at: indexPath))
  }

  // MARK: NSFetchedResultsControllerDelegate

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    tableView.beginUpdates()
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    switch type {
    case .insert: tableView.insertSections(IndexSet(integer: sectionIndex))
    case .delete: tableView.deleteSections(IndexSet(integer: sectionIndex))
    default: break
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    switch type {
    case .insert: tableView.insertRows(at: [newIndexPath!])
    case .delete: tableView.deleteRows(at: [indexPath!])
    case .update: tableView.configureRow(at: newIndexPath!)
    case .move: tableView.moveRow(at: indexPath!, to: newIndexPath!)
    @unknown default: break
    }
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    tableView.endUpdates()
  }
}
