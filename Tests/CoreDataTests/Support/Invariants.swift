@testable import CoreData

// Checks of the library's internal structures for random walks, which otherwise use the public API alone.

extension NSManagedObjectContext {
  /// Returns a description of what is inconsistent in the context or its objects, or nil.
  func findBrokenInvariant() -> String? { checkInvariants() }
}

extension NSFetchedResultsController {
  /// Returns a description of what is inconsistent in the results, or nil.
  func findBrokenInvariant() -> String? { results?.checkInvariants() }
}

extension HierarchicalResultsController {
  /// Returns a description of what is inconsistent in the results that form the sections, or nil.
  func findBrokenInvariant() -> String? {
    if case .results(let sections)? = results?.roots { sections.checkInvariants() } else { nil }
  }
}
