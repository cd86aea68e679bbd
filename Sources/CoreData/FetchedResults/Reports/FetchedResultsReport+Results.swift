import Foundation

// Reports are made of what live results say of a change, and of the fates of rows in several changes.

extension FetchedResultsReport {
  /// What one change did.
  init(_ delta: ResultsDelta) {
    deletedSections = delta.deletedSections.map { Section(index: $0.index, name: $0.name) }
    insertedSections = delta.insertedSections.map { Section(index: $0.index, name: $0.name) }
    deletedRows = delta.deleted.map {
      Row(objectID: $0.subject.objectID, indexPath: $0.path.indexPath)
    }
    insertedRows = delta.inserted.map {
      Row(objectID: $0.subject.objectID, indexPath: $0.path.indexPath)
    }
    movedRows = delta.moved.map(Self.change)
    updatedRows = delta.updated.map(Self.change)
  }

  private static func change(_ change: ResultsDelta.Change) -> RowChange {
    RowChange(
      objectID: change.subject.objectID, indexPath: change.old.indexPath,
      newIndexPath: change.new.indexPath)
  }

  /// What changes did that followed each other; the results are as they are after the last.
  init(_ deltas: [ResultsDelta], in results: LiveResults) {
    self.init()
    for delta in deltas {
      let next = FetchedResultsReport(delta)
      self = isEmpty ? next : merged(with: next, in: results)
    }
  }

  /// What happened to rows and sections, as the least report of it.
  ///
  /// O(k log k) for k fates.
  ///
  /// - Parameters:
  ///   - fates: of rows; those that are not among them kept their order.
  ///   - sections: those that came and went; the others kept their order.
  ///   - results: as they are now.
  init(_ fates: [NSManagedObjectID: RowFate], _ sections: SectionFates, in results: LiveResults) {
    deletedSections = sections.deleted
    insertedSections = sections.inserted
    let map = PlaceMap(sections: self)
    // By new place of a section that was there before and is there after.
    var shifts: [Int: Shift] = [:]
    for (id, fate) in fates {
      switch (fate.old, fate.new) {
      case (nil, nil): continue
      case (let old?, nil):
        deletedRows.append(Row(objectID: id, indexPath: old))
        if let section = map.section(after: old.section) {
          shifts[section, default: Shift()].leaving.append(old.row)
        }
      case (nil, let new?):
        insertedRows.append(Row(objectID: id, indexPath: new))
        shifts[new.section, default: Shift()].arriving.append(new.row)
      case (let old?, let new?):
        let section = map.section(after: old.section)
        if section == new.section {
          shifts[new.section, default: Shift()].changed.append((id, old, new))
          continue
        }
        movedRows.append(RowChange(objectID: id, indexPath: old, newIndexPath: new))
        if let section { shifts[section, default: Shift()].leaving.append(old.row) }
        shifts[new.section, default: Shift()].arriving.append(new.row)
      }
    }
    for (section, shift) in shifts {
      addMoves(shift, section, map.section(before: section), results)
    }
    sort()
  }

  /// What happened inside one section.
  private struct Shift {
    var leaving: [Int] = []
    var arriving: [Int] = []
    var changed: [(id: NSManagedObjectID, old: IndexPath, new: IndexPath)] = []
  }

  private mutating func addMoves(
    _ shift: Shift, _ section: Int, _ oldSection: Int?, _ results: LiveResults
  ) {
    guard !shift.changed.isEmpty, let oldSection else { return }
    let leaving = SortedPlaces(shift.leaving)
    let arriving = SortedPlaces(shift.arriving)
    let rows = shift.changed.map {
      MoveFinder.Changed(
        old: $0.old.row - leaving.count(before: $0.old.row),
        new: $0.new.row - arriving.count(before: $0.new.row))
    }
    let count = results.ranks(ofSection: section).count - shift.arriving.count
    let finder = MoveFinder(rows, count: count)
    for (row, isMoved) in zip(shift.changed, finder.movedChanged) {
      let change = RowChange(objectID: row.id, indexPath: row.old, newIndexPath: row.new)
      if isMoved { movedRows.append(change) } else { updatedRows.append(change) }
    }
    // It may be less to move rows that no change named.
    let oldChanged = SortedPlaces(rows.map(\.old))
    let newChanged = SortedPlaces(rows.map(\.new))
    for number in finder.movedOthers.joined() {
      let old = leaving.place(ofRemaining: oldChanged.place(ofRemaining: number))
      let new = arriving.place(ofRemaining: newChanged.place(ofRemaining: number))
      guard let id = results.objectID(at: ResultPath(section: section, row: new)) else { continue }
      movedRows.append(
        RowChange(
          objectID: id, indexPath: IndexPath(row: old, section: oldSection),
          newIndexPath: IndexPath(row: new, section: section)))
    }
  }

  /// Has rows that were told of by temporary IDs go, and come by the IDs that they have now.
  mutating func rename(_ rows: [NewID], in results: LiveResults) {
    if rows.isEmpty { return }
    let map = PlaceMap(self)
    for (object, temporary) in rows {
      guard let rank = results.rank(of: object) else { continue }
      let new = results.path(ofRank: rank).indexPath
      let move = movedRows.firstIndex { $0.objectID == object.objectID }
      guard let old = move.map({ movedRows[$0].indexPath }) ?? map.path(before: new) else {
        continue
      }
      if let move { movedRows.remove(at: move) }
      updatedRows.removeAll { $0.objectID == object.objectID }
      let known = NSManagedObjectID(layout: object.layout, key: temporary, origin: .temporary)
      deletedRows.append(Row(objectID: known, indexPath: old))
      insertedRows.append(Row(objectID: object.objectID, indexPath: new))
    }
    sort()
  }

  private mutating func sort() {
    deletedRows.sort { $0.indexPath > $1.indexPath }
    insertedRows.sort { $0.indexPath < $1.indexPath }
    movedRows.sort { $0.newIndexPath < $1.newIndexPath }
    updatedRows.sort { $0.newIndexPath < $1.newIndexPath }
  }
}

/// Where a row was and is; nil for nowhere.
struct RowFate {
  var old: IndexPath?
  var new: IndexPath?
}

/// The sections that came and went.
struct SectionFates {
  /// By old place, descending.
  private(set) var deleted: [FetchedResultsReport.Section] = []
  /// By new place, ascending.
  private(set) var inserted: [FetchedResultsReport.Section] = []

  /// Those of two reports that followed each other.
  ///
  /// A section that went and came again was there all the time, if it is where it was among the others, and
  /// the only one of its name.
  ///
  /// - Parameter count: how many sections there are now.
  init(
    _ first: FetchedResultsReport, _ firstMap: PlaceMap, _ second: FetchedResultsReport,
    _ secondMap: PlaceMap, count: Int
  ) {
    typealias Section = FetchedResultsReport.Section
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
      // Their places among those that stay and those that are back.
      let (backOld, backNew) = (Set(back.map(\.old)), Set(back.map(\.new)))
      let gone = SortedPlaces(old.map(\.index).filter { !backOld.contains($0) })
      let come = SortedPlaces(new.map(\.index).filter { !backNew.contains($0) })
      let changed = back.map {
        MoveFinder.Changed(
          old: $0.old - gone.count(before: $0.old), new: $0.new - come.count(before: $0.new))
      }
      let finder = MoveFinder(changed, count: count - (new.count - back.count))
      if finder.movedOthers.isEmpty {
        let kept = zip(back, finder.movedChanged).filter { !$0.1 }.map(\.0)
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
  private static func pairs(
    _ old: [FetchedResultsReport.Section], _ new: [FetchedResultsReport.Section]
  ) -> [(old: Int, new: Int)] {
    if old.isEmpty || new.isEmpty { return [] }
    func places(_ sections: [FetchedResultsReport.Section]) -> [ExactName: [Int]] {
      Dictionary(grouping: sections) { ExactName($0.name) }.mapValues { $0.map(\.index) }
    }
    let oldPlaces = places(old)
    return places(new).compactMap { name, places in
      guard places.count == 1, let before = oldPlaces[name], before.count == 1 else { return nil }
      return (before[0], places[0])
    }.sorted { $0.new < $1.new }
  }
}
