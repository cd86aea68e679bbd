import Foundation

extension FetchedResultsReport {
  /// What this report and the next one did together, as the least report of it: what came and went again is
  /// not named, what went and came again is updated or moved.
  ///
  /// O(k log k) for k rows that both name.
  ///
  /// - Parameter results: as they are after the next report.
  func merged(with next: FetchedResultsReport, in results: LiveResults) -> FetchedResultsReport {
    let (map, nextMap) = (PlaceMap(self), PlaceMap(next))
    var fates: [NSManagedObjectID: RowFate] = [:]
    // What this report names, and where that is now if the next one does not name it.
    for row in deletedRows { fates[row.objectID] = RowFate(old: row.indexPath) }
    for row in insertedRows {
      fates[row.objectID] = RowFate(new: nextMap.path(after: row.indexPath))
    }
    for row in movedRows + updatedRows {
      fates[row.objectID] = RowFate(
        old: row.indexPath, new: nextMap.path(after: row.newIndexPath))
    }
    // What the next one names, and where that was if this one does not name it.
    func old(_ id: NSManagedObjectID, _ path: IndexPath) -> IndexPath? {
      if let known = fates[id] { return known.old }
      return map.path(before: path)
    }
    for row in next.deletedRows {
      fates[row.objectID] = RowFate(old: old(row.objectID, row.indexPath))
    }
    for row in next.insertedRows {
      fates[row.objectID] = RowFate(old: fates[row.objectID]?.old, new: row.indexPath)
    }
    for row in next.movedRows + next.updatedRows {
      fates[row.objectID] = RowFate(
        old: old(row.objectID, row.indexPath), new: row.newIndexPath)
    }
    let sections = SectionFates(self, map, next, nextMap, count: results.sectionCount)
    return FetchedResultsReport(fates, sections, in: results)
  }
}

/// Where sections and rows that a report does not name stand before and after it.
struct PlaceMap {
  private let deletedSections: SortedPlaces
  private let insertedSections: SortedPlaces
  /// By old section: the rows that are taken out of it.
  private let leaving: [Int: SortedPlaces]
  /// By new section: the rows that are put into it.
  private let arriving: [Int: SortedPlaces]

  init(_ report: FetchedResultsReport) {
    deletedSections = SortedPlaces(report.deletedSections.map(\.index))
    insertedSections = SortedPlaces(report.insertedSections.map(\.index))
    leaving = Self.bySection(
      report.deletedRows.map(\.indexPath) + report.movedRows.map(\.indexPath))
    arriving = Self.bySection(
      report.insertedRows.map(\.indexPath) + report.movedRows.map(\.newIndexPath))
  }

  /// The sections alone.
  init(sections report: FetchedResultsReport) {
    deletedSections = SortedPlaces(report.deletedSections.map(\.index))
    insertedSections = SortedPlaces(report.insertedSections.map(\.index))
    leaving = [:]
    arriving = [:]
  }

  private static func bySection(_ paths: [IndexPath]) -> [Int: SortedPlaces] {
    Dictionary(grouping: paths, by: \.section).mapValues { SortedPlaces($0.map(\.row)) }
  }

  /// The new place of a section; nil for one that is deleted.
  func section(after old: Int) -> Int? {
    if deletedSections.contains(old) { return nil }
    return insertedSections.place(ofRemaining: old - deletedSections.count(before: old))
  }

  /// The old place of a section; nil for one that is inserted.
  func section(before new: Int) -> Int? {
    if insertedSections.contains(new) { return nil }
    return deletedSections.place(ofRemaining: new - insertedSections.count(before: new))
  }

  /// The new place of a row that is not named, or is updated.
  func path(after old: IndexPath) -> IndexPath? {
    guard let section = section(after: old.section) else { return nil }
    let rest = old.row - (leaving[old.section]?.count(before: old.row) ?? 0)
    return IndexPath(row: arriving[section]?.place(ofRemaining: rest) ?? rest, section: section)
  }

  /// The old place of a row that is not named, or is updated.
  func path(before new: IndexPath) -> IndexPath? {
    guard let section = section(before: new.section) else { return nil }
    let rest = new.row - (arriving[new.section]?.count(before: new.row) ?? 0)
    return IndexPath(row: leaving[section]?.place(ofRemaining: rest) ?? rest, section: section)
  }
}

extension SortedPlaces {
  /// Whether a place is one of them.
  func contains(_ place: Int) -> Bool { count(before: place + 1) > count(before: place) }
}
