import StoreEngine

/// All shown rows and sections of a live result at one time, to be compared with those of another: where
/// a limit holds, where the request was changed, where sections changed their order.
struct ResultsContent {
  struct Row {
    let entry: ResultEntry
    let path: ResultPath
  }

  /// A section: the n-th with its name, if there are several.
  struct Section: Hashable {
    let name: ExactName
    let number: Int
  }

  let rows: [Row]
  let sections: [Section]
  private let hasSections: Bool

  init(_ results: LiveResults) {
    hasSections = results.hasSections
    var rows: [Row] = []
    var sections: [Section] = []
    var seen: [ExactName: Int] = [:]
    for index in 0..<results.sectionCount {
      let name = ExactName(hasSections ? results.sectionName(index) : "")
      sections.append(Section(name: name, number: seen[name, default: 0]))
      seen[name, default: 0] += 1
      for (row, entry) in results.tree.entries(in: results.ranks(ofSection: index)).enumerated() {
        rows.append(Row(entry: entry, path: ResultPath(section: index, row: row)))
      }
    }
    self.rows = rows
    self.sections = sections
  }

  /// What turns the rows that were there into these. O(n log n) for n rows.
  ///
  /// - Parameters:
  ///   - rekeyed: the present keys of rows that got others, by their former keys.
  ///   - isChanged: whether an object changed, given its old row and its new one.
  ///   - subject: the object of a row.
  func delta(
    from old: ResultsContent, rekeyed: [RowKey: RowKey],
    isChanged: (_ old: ResultEntry, _ new: ResultEntry) -> Bool,
    subject: (ResultEntry) -> RowSubject
  ) -> ResultsDelta {
    var delta = ResultsDelta()
    var oldRows: [RowKey: Row] = [:]
    for row in old.rows { oldRows[rekeyed[row.entry.rowKey] ?? row.entry.rowKey] = row }
    let staying = addSections(old, oldRows, &delta)
    var bySection: [Int: [(old: Row, new: Row)]] = [:]
    for row in rows {
      guard let before = oldRows.removeValue(forKey: row.entry.rowKey) else {
        delta.inserted.append(ResultsDelta.Row(subject: subject(row.entry), path: row.path))
        continue
      }
      let section = sections[row.path.section]
      if old.sections[before.path.section] == section, staying.contains(section) {
        bySection[row.path.section, default: []].append((before, row))
      } else {
        delta.moved.append(
          ResultsDelta.Change(subject: subject(row.entry), old: before.path, new: row.path))
      }
    }
    for row in oldRows.values {
      delta.deleted.append(ResultsDelta.Row(subject: subject(row.entry), path: row.path))
    }
    for rows in bySection.values {
      let isChanged = rows.map { isChanged($0.old.entry, $0.new.entry) }
      let kept = Set(
        MoveFinder.heaviestRun(
          rows.map(\.old.path.row),
          isChanged.map { MoveFinder.weight(ofRows: 1, unchanged: $0 ? 0 : 1, of: rows.count) }))
      for (position, row) in rows.enumerated() {
        let change = ResultsDelta.Change(
          subject: subject(row.new.entry), old: row.old.path, new: row.new.path)
        if !kept.contains(position) {
          delta.moved.append(change)
        } else if isChanged[position] {
          delta.updated.append(change)
        }
      }
    }
    delta.sort()
    return delta
  }

  /// Notes the sections that come and go. One that changes its place among those that stay does both,
  /// and its rows move: table views' reports have no other word for it.
  ///
  /// - Returns: the sections that stay.
  private func addSections(
    _ old: ResultsContent, _ oldRows: [RowKey: Row], _ delta: inout ResultsDelta
  ) -> Set<Section> {
    guard hasSections else { return Set(sections) }
    var weights = Array(repeating: 1, count: sections.count)
    for row in rows where oldRows[row.entry.rowKey] != nil { weights[row.path.section] += 1 }
    let difference = ListDifference(from: old.sections, to: sections) { weights[$1] }
    let staying = Set(difference.staying.filter { !$0.isMoved }.map { sections[$0.new] })
    for (index, section) in old.sections.enumerated() where !staying.contains(section) {
      delta.deletedSections.append(ResultsDelta.Section(index: index, name: section.name.text))
    }
    for (index, section) in sections.enumerated() where !staying.contains(section) {
      delta.insertedSections.append(ResultsDelta.Section(index: index, name: section.name.text))
    }
    return staying
  }
}

extension LiveResults {
  /// What turns other results, of another request perhaps, into these. O(n log n) for n rows.
  ///
  /// - Parameter missed: rows that may have changed without another version.
  func delta(from old: LiveResults, missed: Set<RowKey>) -> ResultsDelta {
    ResultsContent(self).delta(
      from: ResultsContent(old), rekeyed: [:],
      isChanged: { $0.version != $1.version || missed.contains($1.rowKey) },
      subject: { subject(of: $0) })
  }
}
