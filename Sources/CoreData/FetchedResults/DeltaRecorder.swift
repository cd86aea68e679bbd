import Foundation

/// Notes what changes in a live result, changes it, and makes the report of it.
struct DeltaRecorder {
  private let results: LiveResults
  private var stays: [(subject: RowSubject, entry: ResultEntry)] = []
  private var changes: [Change] = []
  /// The sections of changed rows that had rows before, by number of their names.
  private var oldSections: Set<Int> = []

  private struct Change {
    let subject: RowSubject
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
    stays.append((results.subject(of: entry, object), entry))
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
    if results.keepsUndo { results.undo = { [unowned results] in results.take(former) } }
    if isEmpty {
      results.take(fresh)
      return ResultsDelta()
    }
    return delta(change: { results.take(fresh) }, undo: { results.take(former) })
  }

  private mutating func delta(change: () -> Void, undo: () -> Void) -> ResultsDelta {
    if !results.window.isAll || results.isUngrouped {
      let before = ResultsContent(results)
      change()
      return contentDelta(before)
    }
    for change in changes {
      for section in [change.old?.entry.section, change.new?.entry.section].compactMap({ $0 })
      where results.rowCount(ofSection: section) > 0 { oldSections.insert(section) }
    }
    let oldPaths = changes.map { $0.old.map { path($0.entry) } }
    let stayPaths = stays.map { path($0.entry) }
    let order = results.sectionNumbersIfTheyMayReorder()
    change()
    if results.isUngrouped || !Self.isSameOrder(order, results.sectionNumbersIfTheyMayReorder()) {
      // Seldom, and of all rows of a section at least.
      undo()
      let before = ResultsContent(results)
      change()
      if results.isUngrouped { results.tellOfUngrouped() }
      return contentDelta(before)
    }
    var delta = placesDelta(oldPaths, stayPaths)
    delta.sort()
    return delta
  }

  /// Whether the sections that are in both lists follow each other alike.
  private static func isSameOrder(_ old: [Int], _ new: [Int]) -> Bool {
    if old == new { return true }
    let (before, after) = (Set(old), Set(new))
    return old.filter(after.contains) == new.filter(before.contains)
  }

  private func path(_ entry: ResultEntry) -> ResultPath {
    guard let place = results.tree.place(ofKey: entry.key, entry.origin) else {
      preconditionFailure("a row that is reported is in the results")
    }
    return results.path(ofRank: results.tree.rank(of: place))
  }

  /// Compares all shown rows with those that were shown.
  private func contentDelta(_ before: ResultsContent) -> ResultsDelta {
    // A row that got its key with a save is the same row.
    var renamed: [RowKey: RowKey] = [:]
    var subjects: [RowKey: RowSubject] = [:]
    var changed: Set<RowKey> = []
    for change in changes {
      guard let row = change.new ?? change.old else { continue }
      subjects[row.entry.name] = change.subject
      // One that leaves the window is told by the name that it had.
      if let old = change.old { subjects[old.entry.name] = change.subject }
      if change.isChanged { changed.insert(row.entry.name) }
      if let old = change.old, change.new != nil { renamed[old.entry.name] = row.entry.name }
    }
    for stay in stays {
      subjects[stay.entry.name] = stay.subject
      changed.insert(stay.entry.name)
    }
    return ResultsContent(results).delta(
      from: before, renamed: renamed, isChanged: { changed.contains($1.name) },
      subject: { subjects[$0.name] ?? results.subject(of: $0) })
  }

  // MARK: All rows shown

  private func placesDelta(_ oldPaths: [ResultPath?], _ stayPaths: [ResultPath]) -> ResultsDelta {
    var delta = ResultsDelta()
    let newPaths = changes.map { $0.new.map { path($0.entry) } }
    addSections(oldPaths, newPaths, &delta)
    // Rows by section, where the section was there before and is still.
    var shifts: [Int: SectionShift] = [:]
    for (index, change) in changes.enumerated() {
      switch (change.old, oldPaths[index], change.new, newPaths[index]) {
      case (let old?, let oldPath?, nil, _):
        delta.deleted.append(ResultsDelta.Row(subject: change.subject, path: oldPath))
        shifts[old.entry.section, default: SectionShift()].leaving.append(oldPath.row)
      case (nil, _, let new?, let newPath?):
        delta.inserted.append(ResultsDelta.Row(subject: change.subject, path: newPath))
        shifts[new.entry.section, default: SectionShift()].arriving.append(newPath.row)
      case (let old?, let oldPath?, let new?, let newPath?)
      where old.entry.section != new.entry.section:
        delta.moved.append(
          ResultsDelta.Change(subject: change.subject, old: oldPath, new: newPath))
        shifts[old.entry.section, default: SectionShift()].leaving.append(oldPath.row)
        shifts[new.entry.section, default: SectionShift()].arriving.append(newPath.row)
      case (let old?, let oldPath?, .some, let newPath?):
        shifts[old.entry.section, default: SectionShift()].changed.append(
          SectionShift.Row(index: index, old: oldPath.row, new: newPath.row))
      default: break
      }
    }
    var movedRows: Set<RowKey> = []
    for shift in shifts.values where !shift.changed.isEmpty {
      addMoves(shift, oldPaths, newPaths, &delta, &movedRows)
    }
    for (index, stay) in stays.enumerated()
    where !movedRows.contains(stay.entry.name) {
      delta.updated.append(
        ResultsDelta.Change(subject: stay.subject, old: stayPaths[index], new: path(stay.entry)))
    }
    return delta
  }

  private func addSections(
    _ oldPaths: [ResultPath?], _ newPaths: [ResultPath?], _ delta: inout ResultsDelta
  ) {
    guard results.hasSections else { return }
    // A section exists as long as a row of it does; only those of the changed rows can differ.
    var oldIndexes: [Int: Int] = [:]
    var newIndexes: [Int: Int] = [:]
    for (index, change) in changes.enumerated() {
      if let old = change.old, let path = oldPaths[index] {
        oldIndexes[old.entry.section] = path.section
      }
      if let new = change.new, let path = newPaths[index] {
        newIndexes[new.entry.section] = path.section
      }
    }
    for (section, oldIndex) in oldIndexes where results.rowCount(ofSection: section) == 0 {
      delta.deletedSections.append(
        ResultsDelta.Section(index: oldIndex, name: results.names.name(section)))
    }
    for (section, newIndex) in newIndexes where !oldSections.contains(section) {
      delta.insertedSections.append(
        ResultsDelta.Section(index: newIndex, name: results.names.name(section)))
    }
  }

  /// What happened inside one section that was there before and is there after.
  private struct SectionShift {
    struct Row {
      let index: Int
      let old: Int
      let new: Int
    }

    var leaving: [Int] = []
    var arriving: [Int] = []
    var changed: [Row] = []
  }

  private func addMoves(
    _ shift: SectionShift, _ oldPaths: [ResultPath?], _ newPaths: [ResultPath?],
    _ delta: inout ResultsDelta, _ movedRows: inout Set<RowKey>
  ) {
    guard let first = shift.changed.first, let oldSection = oldPaths[first.index]?.section,
      let newSection = newPaths[first.index]?.section
    else { return }
    let leaving = SortedPlaces(shift.leaving)
    let arriving = SortedPlaces(shift.arriving)
    let rows = shift.changed.map {
      MoveFinder.Changed(
        old: $0.old - leaving.count(before: $0.old), new: $0.new - arriving.count(before: $0.new))
    }
    let staying = results.ranks(ofSection: newSection).count - shift.arriving.count
    let finder = MoveFinder(rows, count: staying)
    for (row, isMoved) in zip(shift.changed, finder.movedChanged) {
      let change = ResultsDelta.Change(
        subject: changes[row.index].subject, old: ResultPath(section: oldSection, row: row.old),
        new: ResultPath(section: newSection, row: row.new))
      if isMoved {
        delta.moved.append(change)
        if let new = changes[row.index].new { movedRows.insert(new.entry.name) }
      } else if changes[row.index].isChanged {
        delta.updated.append(change)
      }
    }
    let oldChanged = SortedPlaces(rows.map(\.old))
    let newChanged = SortedPlaces(rows.map(\.new))
    for number in finder.movedOthers.joined() {
      let old = leaving.place(ofRemaining: oldChanged.place(ofRemaining: number))
      let new = arriving.place(ofRemaining: newChanged.place(ofRemaining: number))
      let path = ResultPath(section: newSection, row: new)
      let rank = results.ranks(ofSection: newSection).lowerBound + new
      guard let entry = results.tree.entry(at: rank) else { continue }
      delta.moved.append(
        ResultsDelta.Change(
          subject: results.subject(of: entry),
          old: ResultPath(section: oldSection, row: old), new: path))
      movedRows.insert(entry.name)
    }
  }
}
