/// Notes what changes in a live result, changes it, and makes the report of it.
struct DeltaRecorder {
  private let results: LiveResults
  private var stays: [Bystander] = []
  private var changes: [Change] = []

  /// A row that keeps its place among the others.
  private struct Bystander {
    let subject: ReportedObject
    let entry: ResultEntry
    /// Whether its object changed; else others may push it over an edge of what is shown.
    let isChanged: Bool
  }

  private struct Change {
    let subject: ReportedObject
    let old: ResultRow?
    let new: ResultRow?
    let isChanged: Bool
  }

  init(results: LiveResults) { self.results = results }

  private var isEmpty: Bool { stays.isEmpty && changes.isEmpty }

  /// The object changed, its row stays where it is.
  ///
  /// - Parameter object: nil for one that is made when it is reported.
  mutating func stays(_ object: NSManagedObject?, _ entry: ResultEntry) {
    stays.append(
      Bystander(subject: results.subject(of: entry, object), entry: entry, isChanged: true))
  }

  /// The row comes, goes, or gets another place.
  mutating func changes(
    _ object: NSManagedObject?, old: ResultRow?, new: ResultRow?, isChanged: Bool
  ) {
    guard let row = new ?? old else { return }
    changes.append(
      Change(
        subject: results.subject(of: row.entry, object), old: old, new: new, isChanged: isChanged))
  }

  /// Makes the changes; tells what they did.
  mutating func delta() -> ResultsDelta {
    if isEmpty { return ResultsDelta() }
    let (results, changes) = (results, changes)
    if results.keepsUndo { results.undo = { [unowned results] in Self.undo(changes, in: results) } }
    return delta(
      change: {
        for change in changes { if let old = change.old { results.remove(old) } }
        for change in changes { if let new = change.new { results.insert(new) } }
      },
      undo: { Self.undo(changes, in: results) })
  }

  private static func undo(_ changes: [Change], in results: LiveResults) {
    for change in changes { if let new = change.new { results.remove(new) } }
    for change in changes { if let old = change.old { results.insert(old) } }
  }

  /// Puts a tree that has the changes in the place of the one that has not; tells what they did.
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
    let bystanders = stays + rowsAtEdges()
    let old = paths(changes.map(\.old), bystanders)
    let order =
      results.sectionsMayReorder
      ? SectionOrder(
        results, leaving: changes.compactMap(\.old), arriving: changes.compactMap(\.new)) : nil
    change()
    if results.isUngrouped || order?.isKept(in: results) == false {
      // Seldom, and of all rows of a section at least.
      undo()
      let before = ResultsContent(results)
      change()
      if results.isUngrouped { results.logUngroupedOnce() }
      return contentDelta(before)
    }
    return delta(from: old, to: paths(changes.map(\.new), bystanders), bystanders)
  }

  /// The rows around the edges of what is shown: as many at each side as others come, go or move, for these
  /// push no row further.
  private func rowsAtEdges() -> [Bystander] {
    let (window, tree) = (results.window, results.tree)
    if window.isAll || changes.isEmpty { return [] }
    let known = Set(stays.map(\.entry.rowKey) + changes.compactMap { $0.old?.entry.rowKey })
    var ranks = IndexSet()
    for edge in [results.shown.lowerBound, results.shown.upperBound] {
      ranks.insert(
        integersIn: (edge - changes.count..<edge + changes.count).clamped(to: 0..<tree.count))
    }
    return ranks.rangeView.flatMap { tree.entries(in: $0) }
      .filter { !known.contains($0.rowKey) }
      .map { Bystander(subject: results.subject(of: $0), entry: $0, isChanged: false) }
  }

  /// Compares all shown rows with those that were shown.
  private func contentDelta(_ before: ResultsContent) -> ResultsDelta {
    // A row that got its key with a save is the same row.
    var rekeyed: [RowKey: RowKey] = [:]
    var subjects: [RowKey: ReportedObject] = [:]
    var changed: Set<RowKey> = []
    for change in changes {
      guard let row = change.new ?? change.old else { continue }
      subjects[row.entry.rowKey] = change.subject
      // One that leaves the window is told by the name that it had.
      if let old = change.old { subjects[old.entry.rowKey] = change.subject }
      if change.isChanged { changed.insert(row.entry.rowKey) }
      if let old = change.old, change.new != nil { rekeyed[old.entry.rowKey] = row.entry.rowKey }
    }
    for stay in stays {
      subjects[stay.entry.rowKey] = stay.subject
      changed.insert(stay.entry.rowKey)
    }
    return ResultsContent(results).delta(
      from: before, rekeyed: rekeyed, isChanged: { changed.contains($1.rowKey) },
      subject: { subjects[$0.rowKey] ?? results.subject(of: $0) })
  }

  // MARK: By the rows that change

  /// The paths of rows at one time.
  private struct Paths {
    /// Of the changes, and of the bystanders; nil for a row that is not there or not shown.
    var changed: [ResultPath?] = []
    var bystanders: [ResultPath?] = []
    /// How many rows of their sections are shown, by the number of the section's name; those of other sections
    /// are not known.
    var counts: [Int: Int] = [:]
  }

  private func paths(_ rows: [ResultRow?], _ bystanders: [Bystander]) -> Paths {
    var paths = Paths()
    func path(_ entry: ResultEntry) -> ResultPath? {
      guard let location = results.tree.location(ofKey: entry.key, entry.origin) else {
        preconditionFailure("a row that is reported is in the results")
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
      // One that stays in its section changes no count.
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

  /// A section exists as long as a row of it is shown; only those that rows left or arrived in can differ.
  private func sections(
    _ old: Paths, _ new: Paths, _ counts: SectionCounts
  ) -> (deleted: [ResultsDelta.Section], inserted: [ResultsDelta.Section]) {
    var deleted: [ResultsDelta.Section] = []
    var inserted: [ResultsDelta.Section] = []
    guard results.hasSections else { return ([], []) }
    for (section, change) in counts.bySection {
      // Where no row that is known was there before, or is there after, the others tell.
      guard let after = new.counts[section] ?? old.counts[section].map({ $0 + change.more }) else {
        preconditionFailure("a row of a section that changes is there before or after")
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

  /// How many rows come and go, by the number of the section's name, and where the section was and is.
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
