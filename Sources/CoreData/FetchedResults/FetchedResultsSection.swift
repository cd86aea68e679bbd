import Foundation

/// One section as a controller gives it out. What it says of its rows is good until they change.
final class FetchedResultsSection: NSFetchedResultsSectionInfo {
  let name: String
  private let ranks: Range<Int>
  private let results: LiveResults
  private let givesIDs: Bool
  private let title: () -> String?

  init(
    name: String, ranks: Range<Int>, results: LiveResults, givesIDs: Bool,
    title: @escaping () -> String?
  ) {
    self.name = name
    self.ranks = ranks
    self.results = results
    self.givesIDs = givesIDs
    self.title = title
  }

  var indexTitle: String? { title() }
  var numberOfObjects: Int { ranks.count }
  var objects: [Any]? {
    ranks.compactMap { rank -> Any? in
      givesIDs ? results.objectID(atRank: rank) : results.object(atRank: rank)
    }
  }
}
