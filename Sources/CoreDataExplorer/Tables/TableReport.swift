import CoreData

/// A report of a fetched results controller as pages read it: with places counted through all sections.
struct TableReport: Encodable {
  /// The most rows whose contents are sent with a report. A browser requests others when it shows them.
  static let sentRowLimit = 200
  /// A report of more changes than these is sent as a request to reload the table.
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
  /// Old places.
  let deleted: [Int]
  /// New places.
  let inserted: [Int]
  /// Old and new places.
  let moved: [[Int]]
  /// New places.
  let updated: [Int]
  /// The sections that have another count now: their new places and the counts; nil where there are none.
  let sectionCounts: [[Int]]?
  /// What rows that came, moved or changed hold now, by their new places.
  var rows: [String: TableRow] = [:]

  /// - Parameters:
  ///   - old: the sections before.
  ///   - new: the present ones.
  ///   - hasSections: whether the rows are shown in sections.
  ///   - indexTitle: of a section's name.
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

  /// How many places it names.
  var placeCount: Int { deleted.count + inserted.count + moved.count + updated.count }

  /// The places of rows that came, moved or changed.
  var touched: [Int] { inserted + moved.map { $0[1] } + updated }
}
