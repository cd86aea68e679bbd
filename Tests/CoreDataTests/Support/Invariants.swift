@testable import CoreData

// What is asked of the package's own structures in walks that use nothing else of its own.

extension NSManagedObjectContext {
  /// Returns what is wrong with the state of the context or of its objects, or nil.
  func findBrokenInvariant() -> String? { checkInvariants() }
}

extension NSFetchedResultsController {
  /// Returns what is wrong with the results, or nil.
  func findBrokenInvariant() -> String? { results?.checkInvariants() }
}

extension HierarchicalResultsController {
  /// Returns what is wrong with the results that are the sections, or nil.
  func findBrokenInvariant() -> String? {
    if case .results(let sections)? = results?.roots { sections.checkInvariants() } else { nil }
  }
}
