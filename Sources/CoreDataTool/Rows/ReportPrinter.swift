import CoreData
import StoreInspection

/// Prints the rows of a result, and then each report of its changes, complete before it is written out.
///
/// Belongs to the context's queue once it has begun.
final class ReportPrinter: NSFetchedResultsControllerDelegate, @unchecked Sendable {
  private let format: OutputFormat
  private let columns: [ResultColumn]
  private let isSectioned: Bool
  private let didPrint: @Sendable () -> Void
  private let console = Console.current
  private var controller: NSFetchedResultsController<NSManagedObject>?
  private var number = 0
  private var changes: [ResultChange] = []
  /// By the places of sections without a name.
  private var areUnnamed: [Int: Bool] = [:]

  init(
    format: OutputFormat, columns: [ResultColumn], isSectioned: Bool,
    didPrint: @escaping @Sendable () -> Void
  ) {
    self.format = format
    self.columns = columns
    self.isSectioned = isSectioned
    self.didPrint = didPrint
  }

  /// Fetches the rows, prints them, and follows them from there on.
  func begin(
    _ request: NSFetchRequest<NSManagedObject>, section: String?,
    in context: NSManagedObjectContext
  ) throws {
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
      cacheName: nil)
    self.controller = controller
    controller.delegate = self
    try controller.performFetch()
    try printRows(controller, context)
    console.flush()
  }

  /// Follows the rows no longer.
  func stop() {
    controller?.delegate = nil
    controller = nil
  }

  private func printRows(
    _ controller: NSFetchedResultsController<NSManagedObject>, _ context: NSManagedObjectContext
  ) throws {
    let printer = RowPrinter(columns: columns, context: context, format: format)
    var writer = writer()
    writer.begin(columns: columns.map(\.title), sectioned: isSectioned)
    for (index, section) in (controller.sections ?? []).enumerated() {
      if isSectioned {
        writer.section(controller.sectionName(at: index), count: section.numberOfObjects)
      }
      for start in stride(from: 0, to: section.numberOfObjects, by: RowPrinter.chunkSize) {
        let end = min(start + RowPrinter.chunkSize, section.numberOfObjects)
        try printer.print(
          (start..<end).map { controller.object(at: IndexPath(row: $0, section: index)) },
          to: &writer)
      }
    }
    writer.end()
    noteSectionNames()
  }

  /// Whether the sections without a name have rows without a value, or with an empty text; of those that go it cannot be
  /// read any more.
  private func noteSectionNames() {
    guard isSectioned, let controller else { return }
    areUnnamed = [:]
    for (index, section) in (controller.sections ?? []).enumerated() where section.name.isEmpty {
      areUnnamed[index] = controller.sectionName(at: index) == nil
    }
  }

  private func writer() -> any RowWriter {
    switch format {
    case .table: format.writer(width: console.width(), output: console.output)
    case .json: ReportLines.firstJSON(console.output)
    case .csv: ReportLines.firstCSV(console.output)
    }
  }

  // MARK: Reports

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    changes = []
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    let isUnnamed =
      sectionInfo.name.isEmpty
      && (type == .delete
        ? areUnnamed[sectionIndex] == true : self.controller?.sectionName(at: sectionIndex) == nil)
    changes.append(
      ResultChange(
        kind: type, section: isUnnamed ? nil : sectionInfo.name,
        from: type == .delete ? [sectionIndex] : nil,
        to: type == .delete ? nil : [sectionIndex], object: nil))
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let object = anObject as? NSManagedObject else { return }
    let section = newIndexPath.flatMap { controller.sections?[$0.section].name }
    changes.append(
      ResultChange(
        kind: type, section: section, from: indexPath.map(Array.init),
        to: newIndexPath.map(Array.init), object: object))
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    number += 1
    let context = controller.managedObjectContext
    do {
      let lines = ReportLines(number: number, columns: columns, isSectioned: isSectioned)
      let count = (controller.sections ?? []).reduce(0) { $0 + $1.numberOfObjects }
      try lines.print(changes, rows: count, as: format, in: context, to: console.output)
    } catch {
      console.note("error: \(error.localizedDescription)\n")
    }
    changes = []
    noteSectionNames()
    console.flush()
    didPrint()
    // Objects that others deleted would be kept as deletions of ours, for a save that never comes.
    context.perform { [weak context] in context?.rollback() }
  }
}

/// One change of a result.
struct ResultChange {
  let kind: NSFetchedResultsChangeType
  /// The name of the section: of a section that came or went, or that a row is in now; nil for the section of rows
  /// without a value, and for what is in no section.
  let section: String?
  /// The place before: section and row, or a section alone.
  let from: [Int]?
  /// The place after.
  let to: [Int]?
  /// The row; nil for a section.
  let object: NSManagedObject?
}
