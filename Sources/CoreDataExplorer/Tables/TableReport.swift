import CoreData

/// A report of a fetched results controller, in the form for pages: positions are counted across all sections.
struct TableReport: Encodable {
  /// The maximum number of rows whose contents are sent with a report. Pages request other rows when they are visible.
  static let sentRowLimit = 200
  /// The maximum number of changes in a report. If there are more, pages are notified that they must reload everything.
  static let sentPlaceLimit = 2_000

  struct InsertedSection: Encodable {
    let at: Int
    let name: String
    let indexTitle: String
  }

  struct Sections: Encodable {
    let deleted: [Int]
    let inserted: [InsertedSection]
  }

  let version: Int
  let total: Int
  let sections: Sections
  /// Old positions.
  let deleted: [Int]
  /// New positions.
  let inserted: [Int]
  /// Old and new positions.
  let moved: [[Int]]
  /// New positions.
  let updated: [Int]
  /// The new indexes and counts of inserted sections, and of sections whose count changed, among the first
  /// ``TablePage/shownSections``; nil for rows without sections.
  let sectionCounts: [[Int]]?
  /// The contents of inserted, moved and updated rows, by their new positions.
  var rows: [String: TableRow] = [:]

  /// - Parameters:
  ///   - old: The sections before the change.
  ///   - new: The sections after it.
  ///   - hasSections: Whether the rows are shown in sections.
  ///   - indexTitle: Returns the index title for a section's name.
  init(
    _ report: FetchedResultsReport, version: Int, from old: SectionStarts, to new: SectionStarts,
    hasSections: Bool, indexTitle: (String) -> String?
  ) {
    let updates = report.tableUpdates
    self.version = version
    total = new.total
    sections = Sections(
      deleted: updates.deletedSections,
      inserted: report.insertedSections.map {
        InsertedSection(at: $0.index, name: $0.name, indexTitle: indexTitle($0.name) ?? "")
      })
    deleted = updates.deletedRows.map(old.place)
    inserted = updates.insertedRows.map(new.place)
    moved = updates.movedRows.map { [old.place(of: $0.old), new.place(of: $0.new)] }
    updated = updates.reloadedRows.map { new.place(of: $0.new) }
    sectionCounts = hasSections ? Self.sectionCounts(report, from: old, to: new) : nil
  }

  private static func sectionCounts(
    _ report: FetchedResultsReport, from old: SectionStarts, to new: SectionStarts
  ) -> [[Int]] {
    let (before, now) = (old.counts, new.counts.prefix(TablePage.shownSections))
    return zip(now, report.oldSections(count: now.count)).enumerated().compactMap {
      place, section in
      let (count, former) = section
      if let former, former < before.count, before[former] == count { return nil }
      return [place, count]
    }
  }

  var placeCount: Int { deleted.count + inserted.count + moved.count + updated.count }

  /// The new positions of inserted, moved and updated rows.
  var touched: [Int] { inserted + moved.map { $0[1] } + updated }
}
