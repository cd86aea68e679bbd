import CoreData

extension PeopleList: NSFetchedResultsControllerDelegate {
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    switch type {
    case .insert: print("+ section", sectionIndex, sectionInfo.name)
    case .delete: print("- section", sectionIndex, sectionInfo.name)
    default: break
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    let name = (anObject as? Person)?.firstName ?? ""
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, let new?): print("+", new, name)
    case (.delete, let old?, _): print("-", old, name)
    case (.move, let old?, let new?): print(">", old, "to", new, name)
    case (.update, _, let new?): print("*", new, name)
    default: break
    }
  }
}
