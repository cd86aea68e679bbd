/// One section of a controller, the same object as long as there is a section of the name. It has the rows
/// of now, and none when the section is gone.
final class FetchedResultsSection: NSFetchedResultsSectionInfo {
  let name: String
  /// The places of the rows, as far as the controller has counted them.
  var ranks: Range<Int>
  private let results: LiveResults
  private let returnsIDs: Bool
  private let title: () -> String?
  private let update: () -> Void

  /// - Parameter update: sets ``ranks``, where rows have changed since the controller counted them.
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
