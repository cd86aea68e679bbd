/// The deleted and inserted sections.
struct SectionChanges {
  typealias Section = FetchedResultsReport.Section

  /// The deleted sections by old index, descending.
  let deleted: [Section]
  /// The inserted sections by new index, ascending.
  let inserted: [Section]

  /// Combines the section changes of two consecutive reports.
  ///
  /// A section that was deleted and inserted again counts as unchanged if no other deleted or inserted section has its
  /// name, and its position relative to the remaining sections is the same.
  ///
  /// - Parameter count: The current number of sections.
  init(
    _ first: SectionedChanges<NSManagedObjectID>, _ firstMap: PlaceMap,
    _ second: SectionedChanges<NSManagedObjectID>, _ secondMap: PlaceMap, count: Int
  ) {
    var old = first.deletedSections
    for section in second.deletedSections {
      // If the first report inserted the section, it has no old index, and the combined report does
      // not mention it.
      if let place = firstMap.section(before: section.index) {
        old.append(Section(index: place, name: section.name))
      }
    }
    var new = second.insertedSections
    for section in first.insertedSections {
      // If the second report deleted the section again, it has no new index.
      if let place = secondMap.section(after: section.index) {
        new.append(Section(index: place, name: section.name))
      }
    }
    let back = Self.pairs(old, new)
    if !back.isEmpty {
      let (backOld, backNew) = (Set(back.map(\.old)), Set(back.map(\.new)))
      let difference = ListDifference(
        leaving: old.map(\.index).filter { !backOld.contains($0) },
        arriving: new.map(\.index).filter { !backNew.contains($0) }, changed: back, count: count)
      // If `staying` has more sections, then sections that existed throughout would have to move. In that case the
      // deletions and insertions remain.
      if difference.staying.count == back.count {
        let kept = difference.staying.filter { !$0.isMoved }
        let (keptOld, keptNew) = (Set(kept.map(\.old)), Set(kept.map(\.new)))
        old.removeAll { keptOld.contains($0.index) }
        new.removeAll { keptNew.contains($0.index) }
      }
    }
    deleted = old.sorted { $0.index > $1.index }
    inserted = new.sorted { $0.index < $1.index }
  }

  /// Returns the old and new indexes of the sections whose names occur exactly once in each list, by new index.
  private static func pairs(_ old: [Section], _ new: [Section]) -> [(old: Int, new: Int)] {
    if old.isEmpty || new.isEmpty { return [] }
    func places(_ sections: [Section]) -> [ExactName: [Int]] {
      Dictionary(grouping: sections) { ExactName($0.name) }.mapValues { $0.map(\.index) }
    }
    let oldPlaces = places(old)
    return places(new).compactMap { name, places in
      guard places.count == 1, let before = oldPlaces[name], before.count == 1 else { return nil }
      return (before[0], places[0])
    }.sorted { $0.new < $1.new }
  }
}
