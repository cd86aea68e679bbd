import CoreData
import StoreInspection

/// Prints the rows of a result, and then a report for each change. A report is written out only when it is complete.
///
/// After ``begin(_:section:in:)``, use it on the context's queue only.
final class ReportPrinter: NSFetchedResultsControllerDelegate, @unchecked Sendable {
  private let format: OutputFormat
  /// The lines of the next report.
  private var lines: ReportLines
  private let didPrint: @Sendable () -> Void
  // Task-local values are not available on the context's queue, where the delegate is called.
  private let console = Console.current
  /// Counts the values that cannot be read. Read it after ``stop()``.
  var unreadable: UnreadableValues { lines.unreadable }
  private var controller: NSFetchedResultsController<NSManagedObject>?
  private var changes: [ResultChange] = []
  /// Whether each section whose name is "" has rows without a value, by the section's index.
  private var areUnnamed: [Int: Bool] = [:]

  /// - Parameters:
  ///   - quotesFormulas: For CSV: whether to quote text that a spreadsheet would run as a formula.
  ///   - didPrint: Called after each report.
  init(
    format: OutputFormat, columns: [ResultColumn], isSectioned: Bool, quotesFormulas: Bool,
    didPrint: @escaping @Sendable () -> Void
  ) {
    self.format = format
    lines = ReportLines(
      columns: columns, isSectioned: isSectioned, quotesFormulas: quotesFormulas)
    self.didPrint = didPrint
  }

  /// Fetches the rows, prints them, and starts observing changes.
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
    let printer = RowPrinter(
      columns: lines.columns, context: context, extent: format.extent, unreadable: unreadable)
    var writer = writer()
    writer.begin(columns: lines.columns.map(\.title), sectioned: lines.isSectioned)
    try printer.print(controller, to: &writer)
    writer.end()
    noteSectionNames()
    console.flush()
  }

  /// Stops observing changes.
  func stop() {
    controller?.delegate = nil
    controller = nil
  }

  /// Records for each section whose name is "" whether its rows have no value or an empty string, because the rows of a
  /// deleted section can no longer be read.
  private func noteSectionNames() {
    guard lines.isSectioned, let controller else { return }
    areUnnamed = [:]
    for (index, section) in (controller.sections ?? []).enumerated() where section.name.isEmpty {
      areUnnamed[index] = controller.sectionName(at: index) == nil
    }
  }

  private func writer() -> any RowWriter {
    switch format {
    case .table: format.writer(width: console.width(), output: console.output)
    case .json: ReportLines.firstJSON(console.output)
    case .csv: ReportLines.firstCSV(quotesFormulas: lines.quotesFormulas, console.output)
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
        kind: type, section: SectionName(text: isUnnamed ? nil : sectionInfo.name),
        from: type == .delete ? [sectionIndex] : nil,
        to: type == .delete ? nil : [sectionIndex], object: nil))
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let object = anObject as? NSManagedObject else { return }
    let section = newIndexPath.flatMap { controller.sections?[$0.section] }.map {
      SectionName(text: object.sectionName($0.name, by: controller.sectionNameKeyPath))
    }
    changes.append(
      ResultChange(
        kind: type, section: section, from: indexPath.map(Array.init),
        to: newIndexPath.map(Array.init), object: object))
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    lines.number += 1
    if console.outputLoss() != nil {
      changes = []
      return
    }
    let context = controller.managedObjectContext
    do {
      let count = (controller.sections ?? []).reduce(0) { $0 + $1.numberOfObjects }
      try lines.print(changes, rows: count, as: format, in: context, to: console.output)
    } catch {
      console.note("error: \(error.localizedDescription)\n")
    }
    changes = []
    noteSectionNames()
    console.flush()
    didPrint()
    // If another process deleted objects, the context would otherwise keep them as its own unsaved deletions forever,
    // because it is never saved.
    context.perform { [weak context] in context?.rollback() }
  }
}

/// The name of a section in a report.
struct SectionName: Equatable {
  /// The section's name; nil if its rows have no value for the section key.
  let text: String?
}

/// One change of a result.
struct ResultChange {
  let kind: NSFetchedResultsChangeType
  /// The inserted or deleted section, or the section that a row is in now; nil for a deleted row.
  let section: SectionName?
  /// The position before the change: section and row, or a section alone.
  let from: [Int]?
  /// The position after the change.
  let to: [Int]?
  /// The row; nil for a section.
  let object: NSManagedObject?
}
