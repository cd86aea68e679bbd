/// A section of a fetched results controller.
///
/// Until the next fetch, the controller returns the same instance for a name as long as it has a section with that
/// name, and the instance describes the current rows; it has no rows after the section was removed. After the next
/// fetch, the instance still describes the former results.
final class FetchedResultsSection: NSFetchedResultsSectionInfo {
  let name: String
  /// The ranks of the rows when the controller last computed its sections.
  var ranks: Range<Int>
  private let results: LiveResults
  private let returnsIDs: Bool
  private let title: () -> String?
  private let update: () -> Void

  /// - Parameter update: Updates ``ranks`` if rows have changed since the controller computed its sections.
  init(
    name: String, ranks: Range<Int>, results: LiveResults, returnsIDs: Bool,
    title: @escaping () -> String?, update: @escaping () -> Void
  ) {
    self.name = name
    self.ranks = ranks
    self.results = results
    self.returnsIDs = returnsIDs
    self.title = title
    self.update = update
  }

  var indexTitle: String? { title() }
  var numberOfObjects: Int { presentRanks.count }
  var objects: [Any]? {
    presentRanks.compactMap { rank -> Any? in
      returnsIDs ? results.objectID(atRank: rank) : results.object(atRank: rank)
    }
  }

  private var presentRanks: Range<Int> {
    update()
    return ranks
  }
}
