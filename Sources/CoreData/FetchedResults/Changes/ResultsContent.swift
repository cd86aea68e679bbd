/// All shown rows and sections of live results at one time, to be compared with those at another time. Used after a new
/// fetch, when sections were reordered, and when the rows of a section are split.
struct ResultsContent {
  /// A section, identified by its name and its index among the sections with this name.
  private struct Section: Hashable {
    let name: ExactName
    let number: Int
  }

  private var sections: [Section] = []
  /// The rows of each section.
  private var rows: [[ResultEntry]] = []

  init(_ results: LiveResults) {
    var seen: [ExactName: Int] = [:]
    for index in 0..<results.sectionCount {
      let name = ExactName(results.hasSections ? results.sectionName(index) : "")
      sections.append(Section(name: name, number: seen[name, default: 0]))
      seen[name, default: 0] += 1
      rows.append(results.tree.entries(in: results.ranks(ofSection: index)))
    }
  }

  /// Returns the changes that lead from other content to this content. O(n log n) for n rows.
  ///
  /// - Parameters:
  ///   - rekeyed: The current keys of rows whose keys changed, by their former keys.
  ///   - isChanged: Whether an object changed, given its old and its new row.
  ///   - subject: Returns the reported object of a row.
  func delta(
    from old: ResultsContent, rekeyed: [RowKey: RowKey],
    isChanged: (_ old: ResultEntry, _ new: ResultEntry) -> Bool,
    subject: (ResultEntry) -> ReportedObject
  ) -> ResultsDelta {
    func hasChanged(_ before: ResultPath, _ after: ResultPath) -> Bool {
      isChanged(old.entry(at: before), entry(at: after))
    }
    let oldKeys = old.rows.map { $0.map { rekeyed[$0.rowKey] ?? $0.rowKey } }
    let keys = rows.map { $0.map(\.rowKey) }
    // Weighs a section by its remaining rows, so that as many rows as possible are in sections that do not move.
    let present = old.sections == sections ? [] : Set(oldKeys.joined())
    let sectionChange = ListDifference(from: old.sections, to: sections) { _, new in
      1 + keys[new].count { present.contains($0) }
    }
    // A delegate has no method for moved sections. So a moved section is reported as deleted and inserted, and its rows
    // are reported as moved.
    let (stay, moved) = (
      sectionChange.staying.filter { !$0.isMoved }, sectionChange.staying.filter(\.isMoved)
    )
    let difference = SectionedDifference(
      from: oldKeys, to: keys, lists: stay.map { ($0.old, $0.new) }
    ) { before, after in
      MoveFinder.weight(
        ofRows: 1, unchanged: hasChanged(before, after) ? 0 : 1, of: keys[after.section].count)
    }
    var delta = ResultsDelta()
    delta.deletedSections = (sectionChange.removed + moved.map(\.old)).map {
      ResultsDelta.Section(index: $0, name: old.sections[$0].name.text)
    }
    delta.insertedSections = (sectionChange.inserted + moved.map(\.new)).map {
      ResultsDelta.Section(index: $0, name: sections[$0].name.text)
    }
    delta.deleted = difference.deleted.map {
      ResultsDelta.Row(subject: subject(old.entry(at: $0)), path: $0)
    }
    delta.inserted = difference.inserted.map {
      ResultsDelta.Row(subject: subject(entry(at: $0)), path: $0)
    }
    for pair in difference.staying where pair.isMoved || hasChanged(pair.old, pair.new) {
      let change = ResultsDelta.Change(
        subject: subject(entry(at: pair.new)), old: pair.old, new: pair.new)
      if pair.isMoved { delta.moved.append(change) } else { delta.updated.append(change) }
    }
    delta.sort()
    return delta
  }

  private func entry(at path: ResultPath) -> ResultEntry { rows[path.section][path.row] }
}

extension LiveResults {
  /// Returns the changes that lead from other results to these results. O(n log n) for n rows.
  ///
  /// - Parameter missed: Rows that may have changed although their versions are equal.
  func delta(from old: LiveResults, missed: Set<RowKey>) -> ResultsDelta {
    var delta = ResultsContent(self).delta(
      from: ResultsContent(old), rekeyed: [:],
      isChanged: { $0.version != $1.version || missed.contains($1.rowKey) },
      subject: { subject(of: $0) })
    let departed = DepartedRows()
    delta.deleted = delta.deleted.map {
      ResultsDelta.Row(subject: $0.subject.leaving(with: departed), path: $0.path)
    }
    return delta
  }
}
