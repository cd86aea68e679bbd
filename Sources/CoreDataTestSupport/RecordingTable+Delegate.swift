public import CoreData

/// The calls that a delegate has received since `controllerWillChangeContent`.
struct DelegateReport<Row> {
  var isOpen = false
  var updates = TableUpdates()
  /// The new index paths of inserted, moved and updated rows, with the objects that the controller reported.
  var arrived: [(path: IndexPath, row: Row)] = []
  var last: DelegateCall?

  /// Records a call.
  ///
  /// - Returns: What is wrong with the call at this point; nil if it is valid.
  mutating func add(_ call: DelegateCall) -> String? {
    defer { last = call }
    guard isOpen else { return "\(call.text) before controllerWillChangeContent" }
    guard let last, last.rawValue > call.rawValue else { return nil }
    return "\(call.text) after \(last.text)"
  }
}

/// The calls inside a report, in the order in which a controller makes them.
enum DelegateCall: Int {
  case sectionDelete, sectionInsert, delete, insert, move, update

  var text: String {
    switch self {
    case .sectionDelete: "a section delete"
    case .sectionInsert: "a section insert"
    case .delete: "a delete"
    case .insert: "an insert"
    case .move: "a move"
    case .update: "an update"
    }
  }
}

extension RecordingTable: NSFetchedResultsControllerDelegate {
  /// Shows the current rows of a controller, as a table view does when it first loads. Omits rows that are not of type
  /// `Row`.
  public func load<Result>(_ controller: NSFetchedResultsController<Result>) {
    sections = Self.sections(of: controller)
    isLoaded = true
  }

  private static func sections<Result>(
    of controller: NSFetchedResultsController<Result>
  ) -> [Section] {
    (controller.sections ?? []).map { section in
      Section(name: section.name, rows: (section.objects ?? []).compactMap { $0 as? Row })
    }
  }

  /// Begins a report.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    calls.append("will")
    if report.isOpen { fail("controllerWillChangeContent twice") }
    report = DelegateReport(isOpen: true)
  }

  /// Records that a section was inserted or deleted.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    switch type {
    case .delete:
      note(.sectionDelete)
      report.updates.deletedSections.append(sectionIndex)
      calls.append("-section \(sectionIndex) \(sectionInfo.name)")
      if sections.indices.contains(sectionIndex), sections[sectionIndex].name != sectionInfo.name {
        fail("the section deleted at \(sectionIndex) is \"\(sections[sectionIndex].name)\"")
      }
    case .insert:
      note(.sectionInsert)
      report.updates.insertedSections.append(sectionIndex)
      calls.append("+section \(sectionIndex) \(sectionInfo.name)")
    case .move, .update: fail("a section change cannot be of type \(type)")
    }
  }

  /// Records that a row was inserted, deleted, moved or updated.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let row = anObject as? Row else {
      return fail("the object \(anObject) is not of the type \(Row.self)")
    }
    func requireOld(_ path: IndexPath, _ what: String) {
      if !Self.isSame(self.row(at: path), row) {
        fail("the object \(what) \(path.text) is a different one")
      }
    }
    switch (type, indexPath, newIndexPath) {
    case (.delete, let path?, nil):
      note(.delete)
      report.updates.deletedRows.append(path)
      calls.append("-\(path.text)")
      requireOld(path, "deleted at")
    case (.insert, nil, let path?):
      note(.insert)
      report.updates.insertedRows.append(path)
      report.arrived.append((path, row))
      calls.append("+\(path.text)")
    case (.move, let old?, let new?):
      note(.move)
      report.updates.movedRows.append(TableUpdates.RowChange(old: old, new: new))
      report.arrived.append((new, row))
      calls.append("\(old.text)>\(new.text)")
      requireOld(old, "moved from")
    case (.update, let old?, let new?):
      note(.update)
      report.updates.reloadedRows.append(TableUpdates.RowChange(old: old, new: new))
      report.arrived.append((new, row))
      calls.append("~\(old.text)=\(new.text)")
      requireOld(old, "updated at")
    default:
      fail(
        "\(type) with paths \(indexPath?.text ?? "nil") and \(newIndexPath?.text ?? "nil")")
    }
  }

  /// Ends the report and applies it, with moves as deletions and insertions.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    calls.append("did")
    if !report.isOpen { fail("controllerDidChangeContent without controllerWillChangeContent") }
    let (updates, arrived) = (report.updates, report.arrived)
    // The report ends before the checks, so that the next one begins as usual after a violation.
    report = DelegateReport()
    lastMoves = updates.movedRows.count
    moveCount += lastMoves
    if let problem = Self.disorder(in: updates) { fail(problem) }
    let present = Self.sections(of: controller)
    let (old, new) = (sections.map(\.rows.count), present.map(\.rows.count))
    if let problem = Self.unnamedRows(updates, old, new) { fail(problem) }
    // Most programs pass a move to a table view as a deletion and an insertion.
    apply(updates.withoutMoves, expecting: present)
    for (path, row) in arrived where self.row(at: path) != row {
      fail("the object reported at \(path.text) is not in the results")
    }
  }

  private func note(_ call: DelegateCall) {
    if let problem = report.add(call) { fail(problem) }
  }

  /// Returns a message about the first kind of change that was reported out of order; nil if there is none.
  private static func disorder(in updates: TableUpdates) -> String? {
    func isAscending<Place: Comparable>(_ places: [Place]) -> Bool {
      zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
    }
    if !isAscending(updates.deletedSections.reversed()) { return "section deletes out of order" }
    if !isAscending(updates.insertedSections) { return "section inserts out of order" }
    if !isAscending(updates.deletedRows.reversed()) { return "deletes out of order" }
    if !isAscending(updates.insertedRows) { return "inserts out of order" }
    if !isAscending(updates.movedRows.map(\.new)) { return "moves out of order" }
    if !isAscending(updates.reloadedRows.map(\.new)) { return "updates out of order" }
    return nil
  }

  /// Returns whether two rows represent one object. They may be different instances, because the controller may report
  /// another instance after a reset of the context, or with a batch size.
  private static func isSame(_ one: Row?, _ other: Row?) -> Bool {
    if one == other { return true }
    guard let one = one as? NSManagedObject, let other = other as? NSManagedObject else {
      return false
    }
    return one.objectID == other.objectID
  }

  /// Returns a message about the first inserted or deleted section whose rows were not all reported; nil if there is
  /// none.
  private static func unnamedRows(_ updates: TableUpdates, _ old: [Int], _ new: [Int]) -> String? {
    for section in updates.deletedSections where old.indices.contains(section) {
      let named =
        updates.deletedRows.count { $0.section == section }
        + updates.movedRows.count { $0.old.section == section }
      if named != old[section] { return "section \(section) is deleted, but not all of its rows" }
    }
    for section in updates.insertedSections where new.indices.contains(section) {
      let named =
        updates.insertedRows.count { $0.section == section }
        + updates.movedRows.count { $0.new.section == section }
      if named != new[section] { return "section \(section) is inserted, but not all of its rows" }
    }
    return nil
  }
}
