import CoreData
import Testing

/// A table that applies a controller's reports by a table view's rules, and says what is wrong
/// with a report.
final class RecordingTable: NSFetchedResultsControllerDelegate {
  typealias Row = NSManagedObject

  private(set) var sections: [(name: String, rows: [Row])] = []
  private(set) var calls: [String] = []
  private var deletedSections: [Int] = []
  private var insertedSections: [(Int, String)] = []
  private var deleted: [IndexPath] = []
  private var inserted: [(IndexPath, Row)] = []
  private var moved: [(IndexPath, IndexPath, Row)] = []
  private var updated: [(IndexPath, IndexPath, Row)] = []
  private(set) var faults: [String] = []
  private(set) var moveCount = 0
  private(set) var lastMoves = 0

  func load(_ controller: NSFetchedResultsController<NSManagedObject>) {
    sections = (controller.sections ?? []).map {
      ($0.name, ($0.objects ?? []).compactMap { $0 as? Row })
    }
  }

  func clear() { calls = [] }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    calls.append("will")
    deletedSections = []
    insertedSections = []
    deleted = []
    inserted = []
    moved = []
    updated = []
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    switch type {
    case .delete:
      deletedSections.append(sectionIndex)
      calls.append("-section \(sectionIndex) \(sectionInfo.name)")
    case .insert:
      insertedSections.append((sectionIndex, sectionInfo.name))
      calls.append("+section \(sectionIndex) \(sectionInfo.name)")
    default: faults.append("section change of type \(type)")
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let row = anObject as? Row else { return faults.append("no object") }
    func text(_ path: IndexPath?) -> String { path.map { "\($0.section).\($0.row)" } ?? "nil" }
    switch (type, indexPath, newIndexPath) {
    case (.delete, let path?, nil):
      deleted.append(path)
      calls.append("-\(text(path))")
      if self.row(path) !== row { faults.append("the object deleted at \(text(path)) is another") }
    case (.insert, nil, let path?):
      inserted.append((path, row))
      calls.append("+\(text(path))")
    case (.move, let old?, let new?):
      moved.append((old, new, row))
      calls.append("\(text(old))>\(text(new))")
      if self.row(old) !== row { faults.append("the object moved from \(text(old)) is another") }
    case (.update, let old?, let new?):
      updated.append((old, new, row))
      calls.append("~\(text(old))=\(text(new))")
      if self.row(old) !== row { faults.append("the object updated at \(text(old)) is another") }
    default: faults.append("\(type) with paths \(text(indexPath)) and \(text(newIndexPath))")
    }
  }

  private func row(_ path: IndexPath) -> Row? {
    guard sections.indices.contains(path.section),
      sections[path.section].rows.indices.contains(path.row)
    else { return nil }
    return sections[path.section].rows[path.row]
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    calls.append("did")
    lastMoves = moved.count
    moveCount += moved.count
    checkOrder()
    // Rows that are in no deletion or move, section by section; sections that stay, in order.
    var gone: [Int: Set<Int>] = [:]
    for path in deleted + moved.map(\.0) { gone[path.section, default: []].insert(path.row) }
    var staying: [(name: String, rows: [Row])] = []
    for (index, section) in sections.enumerated() {
      let rows = section.rows.enumerated().filter { gone[index]?.contains($0.offset) != true }
      if deletedSections.contains(index) {
        if !rows.isEmpty { faults.append("section \(section.name) is deleted with rows in it") }
        continue
      }
      staying.append((section.name, rows.map(\.element)))
    }
    for (index, name) in insertedSections {
      if index > staying.count { return faults.append("section inserted at \(index)") }
      staying.insert((name, []), at: index)
    }
    var additions = inserted + moved.map { ($0.1, $0.2) }
    additions.sort { ($0.0.section, $0.0.row) < ($1.0.section, $1.0.row) }
    for (path, row) in additions {
      guard staying.indices.contains(path.section), path.row <= staying[path.section].rows.count
      else { return faults.append("row inserted at \(path)") }
      staying[path.section].rows.insert(row, at: path.row)
    }
    sections = staying
    for (_, new, row) in updated where self.row(new) !== row {
      faults.append("the object updated is not at its new path")
    }
  }

  /// The order that the contract promises.
  private func checkOrder() {
    func ascending(_ paths: [IndexPath]) -> Bool {
      zip(paths, paths.dropFirst()).allSatisfy { ($0.section, $0.row) < ($1.section, $1.row) }
    }
    if deletedSections != deletedSections.sorted(by: >) { faults.append("section deletes out of order") }
    if insertedSections.map(\.0) != insertedSections.map(\.0).sorted() {
      faults.append("section inserts out of order")
    }
    if !ascending(deleted.reversed()) { faults.append("deletes out of order") }
    if !ascending(inserted.map(\.0)) { faults.append("inserts out of order") }
    if !ascending(moved.map(\.1)) { faults.append("moves out of order") }
    if !ascending(updated.map(\.1)) { faults.append("updates out of order") }
  }
}
