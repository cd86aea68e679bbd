import Foundation

extension ResultsDelta {
  /// What several changes, one after the other, do together; the results are as after the last.
  init(_ deltas: [ResultsDelta], in results: LiveResults) {
    let deltas = deltas.filter { !$0.isEmpty }
    self = deltas.last ?? ResultsDelta()
    if deltas.count < 2 { return }
    var subjects: [NSManagedObjectID: RowSubject] = [:]
    for delta in deltas {
      for row in delta.deleted + delta.inserted { subjects[row.subject.objectID] = row.subject }
      for row in delta.moved + delta.updated { subjects[row.subject.objectID] = row.subject }
    }
    func change(_ row: FetchedResultsReport.RowChange) -> Change? {
      let new = ResultPath(row.newIndexPath)
      let subject =
        subjects[row.objectID] ?? results.entry(at: new).map { results.subject(of: $0) }
      return subject.map { Change(subject: $0, old: ResultPath(row.indexPath), new: new) }
    }
    func row(_ row: FetchedResultsReport.Row) -> Row? {
      subjects[row.objectID].map { Row(subject: $0, path: ResultPath(row.indexPath)) }
    }
    let report = FetchedResultsReport(deltas, in: results)
    deletedSections = report.deletedSections.map { Section(index: $0.index, name: $0.name) }
    insertedSections = report.insertedSections.map { Section(index: $0.index, name: $0.name) }
    deleted = report.deletedRows.compactMap(row)
    inserted = report.insertedRows.compactMap(row)
    moved = report.movedRows.compactMap(change)
    updated = report.updatedRows.compactMap(change)
  }
}

extension ResultPath {
  init(_ path: IndexPath) {
    self.init(section: path.section, row: path.row)
  }
}
