/// A section of a controller.
///
/// The controller returns the same object for a name as long as a section has this name. The object always describes
/// the current rows; after its section was removed it has none.
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
