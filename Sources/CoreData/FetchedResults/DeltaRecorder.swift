import Foundation

/// Notes where rows are before and after the tree changes, and makes the report of it.
struct DeltaRecorder {
  private let results: LiveResults
  private var stays: [(subject: RowSubject, entry: ResultEntry)] = []
  private var changes: [Change] = []
  private var before: Before?
  /// The sections of changed rows that had rows before, by number of their names.
  private var oldSections: Set<Int> = []

  private struct Change {
    let subject: RowSubject
    let old: ResultEntry?
    let new: ResultEntry?
    let isChanged: Bool
  }

  /// What has to be known of the old state.
  private enum Before {
    /// The old places of the rows that leave or change, and of those that only stay.
    case places(changes: [ResultPath?], stays: [ResultPath])
    /// All shown rows and sections, for a result with a limit or an offset.
    case window([WindowRow], sections: [String])
  }

  private struct WindowRow {
    let id: LiveResults.RowKey
    let entry: ResultEntry
    let path: ResultPath
  }

  init(results: LiveResults) { self.results = results }

  var isEmpty: Bool { stays.isEmpty && changes.isEmpty }

  /// The object changed, its row stays where it is.
  ///
  /// - Parameter object: nil for one that is made when it is reported.
  mutating func stays(_ object: NSManagedObject?, _ entry: ResultEntry) {
    stays.append((RowSubject(object, entry), entry))
  }

  /// The row comes, goes, or gets another place.
  mutating func changes(
    _ object: NSManagedObject?, old: ResultEntry?, new: ResultEntry?, isChanged: Bool
  ) {
    guard let entry = new ?? old else { return }
    changes.append(
      Change(subject: RowSubject(object, entry), old: old, new: new, isChanged: isChanged))
  }

  private func path(_ entry: ResultEntry) -> ResultPath {
    results.path(ofRank: results.tree.rank(of: entry.values))
  }

  /// Called when the rows are still as they were.
  mutating func willChange() {
    for change in changes {
      for section in [change.old?.section, change.new?.section].compactMap({ $0 })
      where results.rowCount(ofSection: section) > 0 { oldSections.insert(section) }
    }
    if results.window.isAll {
      before = .places(
        changes: changes.map { $0.old.map(path) }, stays: stays.map { path($0.entry) })
    } else {
      let (rows, sections) = window()
      before = .window(rows, sections: sections)
    }
  }

  /// Called when the rows are as they will be.
  func delta() -> ResultsDelta {
    var delta: ResultsDelta
    switch before {
    case .places(let changes, let stays): delta = placesDelta(changes, stays)
    case .window(let rows, let sections): delta = windowDelta(rows, sections)
    case nil: delta = ResultsDelta()
    }
    delta.sort()
    return delta
  }

  // MARK: All rows shown

  private func placesDelta(_ oldPaths: [ResultPath?], _ stayPaths: [ResultPath]) -> ResultsDelta {
    var delta = ResultsDelta()
    let newPaths = changes.map { $0.new.map(path) }
    addSections(oldPaths, newPaths, &delta)
    // Rows by section, where the section was there before and is still.
    var shifts: [Int: SectionShift] = [:]
    for (index, change) in changes.enumerated() {
      switch (change.old, oldPaths[index], change.new, newPaths[index]) {
      case (let old?, let oldPath?, nil, _):
        delta.deleted.append(ResultsDelta.Row(subject: change.subject, path: oldPath))
        shifts[old.section, default: SectionShift()].leaving.append(oldPath.row)
      case (nil, _, let new?, let newPath?):
        delta.inserted.append(ResultsDelta.Row(subject: change.subject, path: newPath))
        shifts[new.section, default: SectionShift()].arriving.append(newPath.row)
      case (let old?, let oldPath?, let new?, let newPath?) where old.section != new.section:
        delta.moved.append(
          ResultsDelta.Change(subject: change.subject, old: oldPath, new: newPath))
        shifts[old.section, default: SectionShift()].leaving.append(oldPath.row)
        shifts[new.section, default: SectionShift()].arriving.append(newPath.row)
      case (let old?, let oldPath?, .some, let newPath?):
        shifts[old.section, default: SectionShift()].changed.append(
          SectionShift.Row(index: index, old: oldPath.row, new: newPath.row))
      default: break
      }
    }
    var movedRows: Set<LiveResults.RowKey> = []
    for shift in shifts.values where !shift.changed.isEmpty {
      addMoves(shift, oldPaths, newPaths, &delta, &movedRows)
    }
    for (index, stay) in stays.enumerated()
    where !movedRows.contains(LiveResults.RowKey(stay.entry)) {
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
      if let old = change.old, let path = oldPaths[index] { oldIndexes[old.section] = path.section }
      if let new = change.new, let path = newPaths[index] { newIndexes[new.section] = path.section }
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
    _ delta: inout ResultsDelta, _ movedRows: inout Set<LiveResults.RowKey>
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
        if let new = changes[row.index].new { movedRows.insert(LiveResults.RowKey(new)) }
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
          subject: RowSubject(entry.object, entry),
          old: ResultPath(section: oldSection, row: old), new: path))
      movedRows.insert(LiveResults.RowKey(entry))
    }
  }

  // MARK: Some rows shown

  private func window() -> ([WindowRow], [String]) {
    let start = results.shown.lowerBound
    let rows = results.tree.entries(in: results.shown).enumerated().map { index, entry in
      WindowRow(
        id: LiveResults.RowKey(entry), entry: entry,
        path: results.path(ofRank: start + index))
    }
    return (rows, (0..<results.sectionCount).map(results.sectionName))
  }

  /// Compares all shown rows; there are as many as the limit at most.
  private func windowDelta(_ oldRows: [WindowRow], _ oldSections: [String]) -> ResultsDelta {
    var delta = ResultsDelta()
    let (newRows, newSections) = window()
    // A row that got its key with a save is the same row.
    var renamed: [LiveResults.RowKey: LiveResults.RowKey] = [:]
    var isChanged: [LiveResults.RowKey: Bool] = [:]
    for change in changes {
      guard let new = change.new else { continue }
      let key = LiveResults.RowKey(new)
      isChanged[key] = change.isChanged
      if let old = change.old { renamed[LiveResults.RowKey(old)] = key }
    }
    for stay in stays {
      isChanged[LiveResults.RowKey(stay.entry)] = true
    }
    var oldPlaces: [LiveResults.RowKey: WindowRow] = [:]
    for row in oldRows { oldPlaces[renamed[row.id] ?? row.id] = row }
    let newKeys = Set(newRows.map(\.id))
    if results.hasSections {
      let (old, new) = (Set(oldSections), Set(newSections))
      for (index, name) in oldSections.enumerated() where !new.contains(name) {
        delta.deletedSections.append(ResultsDelta.Section(index: index, name: name))
      }
      for (index, name) in newSections.enumerated() where !old.contains(name) {
        delta.insertedSections.append(ResultsDelta.Section(index: index, name: name))
      }
    }
    var leaving: [ObjectIdentifier: RowSubject] = [:]
    for change in changes {
      if let old = change.old { leaving[ObjectIdentifier(old)] = change.subject }
    }
    for row in oldRows where !newKeys.contains(renamed[row.id] ?? row.id) {
      let subject =
        leaving[ObjectIdentifier(row.entry)] ?? RowSubject(row.entry.object, row.entry)
      delta.deleted.append(ResultsDelta.Row(subject: subject, path: row.path))
    }
    var bySection: [Int: [(row: WindowRow, old: WindowRow)]] = [:]
    for row in newRows {
      let subject = RowSubject(row.entry.object, row.entry)
      guard let old = oldPlaces[row.id] else {
        delta.inserted.append(ResultsDelta.Row(subject: subject, path: row.path))
        continue
      }
      if old.entry.section != row.entry.section {
        delta.moved.append(
          ResultsDelta.Change(subject: subject, old: old.path, new: row.path))
      } else {
        bySection[row.path.section, default: []].append((row, old))
      }
    }
    for rows in bySection.values {
      let places = rows.map(\.old.path.row)
      let kept = Set(MoveFinder.heaviestRun(places, places.map { _ in 1 }))
      for (position, (row, old)) in rows.enumerated() {
        let change = ResultsDelta.Change(
          subject: RowSubject(row.entry.object, row.entry), old: old.path, new: row.path)
        if !kept.contains(position) {
          delta.moved.append(change)
        } else if isChanged[row.id] == true {
          delta.updated.append(change)
        }
      }
    }
    return delta
  }
}

/// A set of places in a list, for renumbering what is left without them.
struct SortedPlaces {
  private let places: [Int]

  init(_ places: [Int]) { self.places = places.sorted() }

  /// How many of the places come before one.
  func count(before place: Int) -> Int {
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Where the n-th of the list's other members stands.
  func place(ofRemaining number: Int) -> Int {
    // So many of the places come before it: those with fewer others before them.
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle] - middle <= number { low = middle + 1 } else { high = middle }
    }
    return number + low
  }
}
