/// The smallest set of changes that turns one list of sections and rows into another. All reports of list changes are
/// derived from it: delegate calls (``ResultsDelta``), ``FetchedResultsReport``, `TableUpdates`, and collection
/// differences.
///
/// Old paths refer to the rows before the change, new paths to the rows after it. Applied by the rules of a batch
/// update (deletions refer to the old rows, insertions to the new rows, and a moved row is removed with the deletions
/// and added with the insertions), the changes always result in the new rows.
struct SectionedChanges<Subject> {
  typealias Section = FetchedResultsReport.Section

  struct Row {
    let subject: Subject
    let path: ResultPath
  }

  struct Change {
    let subject: Subject
    let old: ResultPath
    let new: ResultPath
  }

  /// By old index, descending.
  var deletedSections: [Section] = []
  /// By new index, ascending.
  var insertedSections: [Section] = []
  /// By old path, descending.
  var deleted: [Row] = []
  /// By new path, ascending.
  var inserted: [Row] = []
  /// Rows that are now in another section, or in another order among the remaining rows of their section. By new path,
  /// ascending.
  var moved: [Change] = []
  /// Rows that changed but did not move, by new path, ascending.
  var updated: [Change] = []

  var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty
      && moved.isEmpty && updated.isEmpty
  }

  mutating func sort() {
    deletedSections.sort { $0.index > $1.index }
    insertedSections.sort { $0.index < $1.index }
    deleted.sort { $0.path > $1.path }
    inserted.sort { $0.path < $1.path }
    moved.sort { $0.new < $1.new }
    updated.sort { $0.new < $1.new }
  }

  /// Returns the changes with other subjects. Rows for which a closure returns nil are left out.
  func compactMap<Other>(
    row: (Row) -> Other?, change: (Change) -> Other?
  ) -> SectionedChanges<Other> {
    typealias Others = SectionedChanges<Other>
    func rows(_ rows: [Row]) -> [Others.Row] {
      rows.compactMap { old in row(old).map { Others.Row(subject: $0, path: old.path) } }
    }
    func changes(_ changes: [Change]) -> [Others.Change] {
      changes.compactMap { old in
        change(old).map { Others.Change(subject: $0, old: old.old, new: old.new) }
      }
    }
    return Others(
      deletedSections: deletedSections, insertedSections: insertedSections,
      deleted: rows(deleted), inserted: rows(inserted), moved: changes(moved),
      updated: changes(updated))
  }
}

extension SectionedChanges: Sendable where Subject: Sendable {}
extension SectionedChanges.Row: Sendable where Subject: Sendable {}
extension SectionedChanges.Change: Sendable where Subject: Sendable {}
extension SectionedChanges: Equatable where Subject: Equatable {}
extension SectionedChanges.Row: Equatable where Subject: Equatable {}
extension SectionedChanges.Change: Equatable where Subject: Equatable {}

/// The old and new path of a row. A path is nil if the row does not exist or is not shown at that time.
struct RowTransition<Subject> {
  let subject: Subject
  var old: ResultPath?
  var new: ResultPath?
  /// Whether to report the row as updated if it does not move.
  var isChanged = true
}

extension SectionedChanges {
  /// Creates the changes for transitions of some rows, where all other rows keep their order.
  ///
  /// O(k log k) for k transitions.
  ///
  /// - Parameters:
  ///   - sections: The deleted and inserted sections. The other sections keep their order.
  ///   - bystanders: Rows that keep their relative positions and are to be reported as updated.
  ///   - count: Returns the number of rows in a section, given its new index.
  ///   - subject: Returns the subject of the row at a new path.
  init(
    _ sections: (deleted: [Section], inserted: [Section]), _ transitions: [RowTransition<Subject>],
    bystanders: [Change] = [], count: (_ section: Int) -> Int, subject: (ResultPath) -> Subject?
  ) {
    deletedSections = sections.deleted
    insertedSections = sections.inserted
    let map = PlaceMap(sections: self)
    // The changes inside each section that exists before and after, by its new index.
    var shifts: [Int: Shift] = [:]
    for transition in transitions {
      switch (transition.old, transition.new) {
      case (nil, nil): continue
      case (let old?, nil):
        deleted.append(Row(subject: transition.subject, path: old))
        if let section = map.section(after: old.section) {
          shifts[section, default: Shift()].leaving.append(old.row)
        }
      case (nil, let new?):
        inserted.append(Row(subject: transition.subject, path: new))
        shifts[new.section, default: Shift()].arriving.append(new.row)
      case (let old?, let new?):
        let change = Change(subject: transition.subject, old: old, new: new)
        let section = map.section(after: old.section)
        if section == new.section {
          shifts[new.section, default: Shift()].changed.append((change, transition.isChanged))
          continue
        }
        moved.append(change)
        if let section { shifts[section, default: Shift()].leaving.append(old.row) }
        shifts[new.section, default: Shift()].arriving.append(new.row)
      }
    }
    var movedOthers: Set<ResultPath> = []
    // Rows that leave or enter a section do not change the order of the others.
    for (section, shift) in shifts where !shift.changed.isEmpty {
      addMoves(shift, count(section), subject, &movedOthers)
    }
    // A move implies an update, so each row is reported once.
    updated += bystanders.filter { !movedOthers.contains($0.new) }
    sort()
  }

  /// The changes inside a section that exists before and after.
  private struct Shift {
    var leaving: [Int] = []
    var arriving: [Int] = []
    var changed: [(change: Change, isChanged: Bool)] = []
  }

  private mutating func addMoves(
    _ shift: Shift, _ count: Int, _ subject: (ResultPath) -> Subject?,
    _ movedOthers: inout Set<ResultPath>
  ) {
    guard let first = shift.changed.first?.change else { return }
    let difference = ListDifference(
      leaving: shift.leaving, arriving: shift.arriving,
      changed: shift.changed.map { ($0.change.old.row, $0.change.new.row) }, count: count)
    for (row, place) in zip(shift.changed, difference.staying) {
      if place.isMoved {
        moved.append(row.change)
      } else if row.isChanged {
        updated.append(row.change)
      }
    }
    // `ListDifference` also moves rows without a transition if that results in fewer moves.
    for place in difference.staying.dropFirst(shift.changed.count) {
      let path = ResultPath(section: first.new.section, row: place.new)
      guard let row = subject(path) else { continue }
      moved.append(
        Change(
          subject: row, old: ResultPath(section: first.old.section, row: place.old), new: path))
      movedOthers.insert(path)
    }
  }
}
