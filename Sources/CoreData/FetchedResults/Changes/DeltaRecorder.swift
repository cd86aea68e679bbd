/// Records changes to live results, applies them, and returns the differences between the old and the new results.
struct DeltaRecorder {
  private let results: LiveResults
  private var unmoved: [Bystander] = []
  private var changes: [Change] = []
  private lazy var departed = DepartedRows()

  /// A row that keeps its position relative to the others.
  private struct Bystander {
    let subject: ReportedObject
    let entry: ResultEntry
    /// Whether the row's object changed. If not, the row is recorded because other changes may push it over an edge of
    /// the limit or offset.
    let isChanged: Bool
  }

  private struct Change {
    let subject: ReportedObject
    let old: ResultRow?
    let new: ResultRow?
    let isChanged: Bool
  }

  init(results: LiveResults) { self.results = results }

  private var isEmpty: Bool { unmoved.isEmpty && changes.isEmpty }

  /// Records a row that keeps its position although its object changed.
  ///
  /// - Parameter object: The row's object; nil to create the object only when it is reported.
  mutating func recordUnmoved(_ object: NSManagedObject?, _ entry: ResultEntry) {
    unmoved.append(
      Bystander(subject: results.subject(of: entry, object), entry: entry, isChanged: true))
  }

  /// Records a row that is inserted, removed, or gets another sort key or section.
  mutating func recordChange(
    _ object: NSManagedObject?, old: ResultRow?, new: ResultRow?, isChanged: Bool
  ) {
    guard let row = new ?? old else { return }
    let subject = results.subject(of: row.entry, object)
    changes.append(
      Change(
        subject: new == nil ? subject.leaving(with: departed) : subject, old: old, new: new,
        isChanged: isChanged))
  }

  /// Applies the changes, and returns the differences between the old and the new results.
  mutating func delta() -> ResultsDelta {
    if isEmpty { return ResultsDelta() }
    let (results, changes) = (results, changes)
    // The results own the closure, so a strong reference to them would create a retain cycle.
    if results.keepsUndo { results.undo = { [unowned results] in Self.undo(changes, in: results) } }
    return delta(
      change: {
        // All rows are removed before the first one is inserted, because the tree contains each key
        // only once and a row that moves keeps its key.
        for change in changes { if let old = change.old { results.remove(old) } }
        for change in changes { if let new = change.new { results.insert(new) } }
      },
      undo: { Self.undo(changes, in: results) })
  }

  private static func undo(_ changes: [Change], in results: LiveResults) {
    for change in changes { if let new = change.new { results.remove(new) } }
    for change in changes { if let old = change.old { results.insert(old) } }
  }

  /// Replaces the tree with one that contains the changes, and returns the differences between the two.
  mutating func delta(replacing fresh: ResultsTree) -> ResultsDelta {
    let (results, former) = (results, results.tree)
    if results.keepsUndo { results.undo = { [unowned results] in results.replaceTree(by: former) } }
    if isEmpty {
      results.replaceTree(by: fresh)
      return ResultsDelta()
    }
    return delta(
      change: { results.replaceTree(by: fresh) }, undo: { results.replaceTree(by: former) })
  }

  private mutating func delta(change: () -> Void, undo: () -> Void) -> ResultsDelta {
    if results.isUngrouped {
      let before = ResultsContent(results)
      change()
      return contentDelta(before)
    }
    let bystanders = unmoved + rowsAtEdges()
    let old = paths(changes.map(\.old), bystanders)
    let order =
      results.sectionsMayReorder
      ? SectionOrder(
        results, leaving: changes.compactMap(\.old), arriving: changes.compactMap(\.new)) : nil
    change()
    if results.isUngrouped || order?.isKept(in: results) == false {
      // Comparing all rows is slow but rarely necessary: only if all rows of at least one section changed, or if the
      // rows of a section were split.
      undo()
      let before = ResultsContent(results)
      change()
      if results.isUngrouped { results.logUngroupedOnce() }
      return contentDelta(before)
    }
    return delta(from: old, to: paths(changes.map(\.new), bystanders), bystanders)
  }

  /// Returns the rows around the edges of the limit and offset: as many on each side as there are changes.
  private func rowsAtEdges() -> [Bystander] {
    let (window, tree) = (results.window, results.tree)
    if window.isAll || changes.isEmpty { return [] }
    let known = Set(unmoved.map(\.entry.rowKey) + changes.compactMap { $0.old?.entry.rowKey })
    var ranks = IndexSet()
    // Each change shifts rows by at most one.
    for edge in [results.shown.lowerBound, results.shown.upperBound] {
      ranks.insert(
        integersIn: (edge - changes.count..<edge + changes.count).clamped(to: 0..<tree.count))
    }
    return ranks.rangeView.flatMap { tree.entries(in: $0) }
      .filter { !known.contains($0.rowKey) }
      .map { Bystander(subject: results.subject(of: $0), entry: $0, isChanged: false) }
  }

  /// Compares all shown rows with the rows that were shown before.
  private func contentDelta(_ before: ResultsContent) -> ResultsDelta {
    // A row whose key changed with a save is the same row.
    var rekeyed: [RowKey: RowKey] = [:]
    var subjects: [RowKey: ReportedObject] = [:]
    var changed: Set<RowKey> = []
    for change in changes {
      guard let row = change.new ?? change.old else { continue }
      subjects[row.entry.rowKey] = change.subject
      // A row that leaves the range of the limit and offset is reported under its former key.
      if let old = change.old { subjects[old.entry.rowKey] = change.subject }
      if change.isChanged { changed.insert(row.entry.rowKey) }
      if let old = change.old, change.new != nil { rekeyed[old.entry.rowKey] = row.entry.rowKey }
    }
    for row in unmoved {
      subjects[row.entry.rowKey] = row.subject
      changed.insert(row.entry.rowKey)
    }
    return ResultsContent(results).delta(
      from: before, rekeyed: rekeyed, isChanged: { changed.contains($1.rowKey) },
      subject: { subjects[$0.rowKey] ?? results.subject(of: $0) })
  }

  // MARK: Differences in the recorded rows

  /// The paths of rows, either before or after the changes.
  private struct Paths {
    /// The paths of the changes and of the bystanders; nil for a row that does not exist or is not shown.
    var changed: [ResultPath?] = []
    var bystanders: [ResultPath?] = []
    /// The number of shown rows in the sections of these rows, by the number of the section's name.
    var counts: [Int: Int] = [:]
  }

  private func paths(_ rows: [ResultRow?], _ bystanders: [Bystander]) -> Paths {
    var paths = Paths()
    func path(_ entry: ResultEntry) -> ResultPath? {
      guard let location = results.tree.location(ofKey: entry.key, entry.origin) else {
        preconditionFailure("a recorded row is not in the results")
      }
      let rank = results.tree.rank(of: location)
      if results.hasSections, paths.counts[entry.section] == nil {
        paths.counts[entry.section] = results.shownCount(ofSectionAt: rank)
      }
      return results.shown.contains(rank) ? results.path(ofRank: rank) : nil
    }
    paths.changed = rows.map { $0.flatMap { path($0.entry) } }
    paths.bystanders = bystanders.map { path($0.entry) }
    return paths
  }

  private func delta(from old: Paths, to new: Paths, _ bystanders: [Bystander]) -> ResultsDelta {
    var transitions: [RowTransition<ReportedObject>] = []
    var staying: [ResultsDelta.Change] = []
    var counts = SectionCounts()
    for (index, change) in changes.enumerated() {
      let transition = RowTransition(
        subject: change.subject, old: old.changed[index], new: new.changed[index],
        isChanged: change.isChanged)
      transitions.append(transition)
      let (oldSection, newSection) = (change.old?.entry.section, change.new?.entry.section)
      // A row that stays in its section does not change the section's count.
      if transition.old != nil, transition.new != nil, oldSection == newSection { continue }
      if let path = transition.old, let oldSection { counts.leave(oldSection, path.section) }
      if let path = transition.new, let newSection { counts.arrive(newSection, path.section) }
    }
    for (index, row) in bystanders.enumerated() {
      switch (old.bystanders[index], new.bystanders[index]) {
      case (let path?, nil):
        transitions.append(RowTransition(subject: row.subject, old: path))
        counts.leave(row.entry.section, path.section)
      case (nil, let path?):
        transitions.append(RowTransition(subject: row.subject, new: path))
        counts.arrive(row.entry.section, path.section)
      case (let before?, let after?):
        if row.isChanged {
          staying.append(ResultsDelta.Change(subject: row.subject, old: before, new: after))
        }
      case (nil, nil): break
      }
    }
    return ResultsDelta(
      sections(old, new, counts), transitions, bystanders: staying,
      count: { results.ranks(ofSection: $0).count }
    ) { path in
      results.entry(at: path).map { results.subject(of: $0) }
    }
  }

  /// Returns the deleted and inserted sections. A section exists while one of its rows is shown.
  private func sections(
    _ old: Paths, _ new: Paths, _ counts: SectionCounts
  ) -> (deleted: [ResultsDelta.Section], inserted: [ResultsDelta.Section]) {
    var deleted: [ResultsDelta.Section] = []
    var inserted: [ResultsDelta.Section] = []
    guard results.hasSections else { return ([], []) }
    // Only sections that rows left or entered can have been deleted or inserted.
    for (section, change) in counts.bySection {
      // If no recorded row is in the section after the changes, its count follows from the count before them.
      guard let after = new.counts[section] ?? old.counts[section].map({ $0 + change.more }) else {
        preconditionFailure("no recorded row is in a changed section, before or after")
      }
      let before = after - change.more
      let name = results.names.name(section)
      if before > 0, after == 0, let index = change.oldIndex {
        deleted.append(ResultsDelta.Section(index: index, name: name))
      } else if before == 0, after > 0, let index = change.newIndex {
        inserted.append(ResultsDelta.Section(index: index, name: name))
      }
    }
    return (deleted, inserted)
  }

  /// The net number of rows that enter each section, by the number of the section's name, and the section's indexes.
  private struct SectionCounts {
    private(set) var bySection: [Int: (more: Int, oldIndex: Int?, newIndex: Int?)] = [:]

    mutating func leave(_ section: Int, _ index: Int) {
      bySection[section, default: (0, nil, nil)].more -= 1
      bySection[section]?.oldIndex = index
    }

    mutating func arrive(_ section: Int, _ index: Int) {
      bySection[section, default: (0, nil, nil)].more += 1
      bySection[section]?.newIndex = index
    }
  }
}
