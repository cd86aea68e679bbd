/// The sections that came and went.
struct SectionChanges {
  typealias Section = FetchedResultsReport.Section

  /// By old place, descending.
  let deleted: [Section]
  /// By new place, ascending.
  let inserted: [Section]

  /// Those of two reports that followed each other.
  ///
  /// A section that went and came again was there all the time, if it is where it was among the others, and
  /// the only one of its name.
  ///
  /// - Parameter count: how many sections there are now.
  init(
    _ first: SectionedChanges<NSManagedObjectID>, _ firstMap: PlaceMap,
    _ second: SectionedChanges<NSManagedObjectID>, _ secondMap: PlaceMap, count: Int
  ) {
    var old = first.deletedSections
    for section in second.deletedSections {
      if let place = firstMap.section(before: section.index) {
        old.append(Section(index: place, name: section.name))
      }
    }
    var new = second.insertedSections
    for section in first.insertedSections {
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
      // Otherwise it would be less to move sections that were there all the time.
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

  /// The places of sections that are in both lists, by new place: of those that are the only ones of their
  /// names.
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
