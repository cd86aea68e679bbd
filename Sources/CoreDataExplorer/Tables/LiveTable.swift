import CoreData
import Foundation
import ObjectModel
import StoreInspection

/// The rows of one query, kept up to date by a fetched results controller that all its readers share.
///
/// The first page does not wait for the controller, which reads the keys of all rows: until it is there, pages
/// are read by place.
///
/// Everything but the streams lives on the context's queue.
final class LiveTable: @unchecked Sendable {
  /// More sections than these nobody looks through.
  private static let shownSections = 10_000

  let query: TableQuery
  private let entity: NSEntityDescription
  private let context: NSManagedObjectContext
  private let controller: NSFetchedResultsController<NSManagedObject>
  private let broadcast = Broadcast()
  private var observation: FetchedResultsObservation?
  private var isReady = false
  private var version = 0
  /// The places of the sections' first rows, and behind the last one the number of rows.
  private var starts: [Int] = [0, 0]

  /// - Throws: what is wrong with the query.
  init(_ query: TableQuery, of entity: NSEntityDescription, in context: NSManagedObjectContext)
    throws
  {
    self.query = query
    self.entity = entity
    self.context = context
    let request = try query.request(of: entity)
    request.fetchBatchSize = 100
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: query.section,
      cacheName: nil)
    // Without an order rows come by their keys.
    controller.mayBeUnsorted = true
  }

  /// How many read its events.
  var readerCount: Int { broadcast.count }

  // MARK: Pages

  /// Some rows from a place on.
  func page(_ columns: [ResultColumn], offset: Int, limit: Int) async throws -> TablePage {
    try await context.perform { [self] in
      let start = ContinuousClock.now
      let offset = max(0, offset)
      let objects = isReady ? ranked(offset, limit) : try placed(offset, limit)
      let rows = try TableRow.rows(of: objects, columns, in: context)
      let sections = isReady && query.section != nil ? shownSections() : nil
      return TablePage(
        version: version, total: isReady ? starts.last : nil,
        columns: columns.map { TableColumn($0, of: entity) }, sections: sections,
        moreSections: (controller.sections?.count ?? 0) > Self.shownSections, offset: offset,
        rows: rows, time: (ContinuousClock.now - start).milliseconds)
    }
  }

  private func ranked(_ offset: Int, _ limit: Int) -> [NSManagedObject] {
    let end = min(offset + limit, starts.last ?? 0)
    guard offset < end else { return [] }
    return (offset..<end).map { controller.object(at: indexPath(of: $0)) }
  }

  /// The rows before the controller is there.
  private func placed(_ offset: Int, _ limit: Int) throws -> [NSManagedObject] {
    let request = try query.request(of: entity)
    request.fetchOffset = offset
    request.fetchLimit = limit
    return try context.fetch(request)
  }

  private func indexPath(of rank: Int) -> IndexPath {
    // The last section that begins there or before; empty ones are none.
    var (low, high) = (0, starts.count - 2)
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= rank { low = middle } else { high = middle - 1 }
    }
    return IndexPath(row: rank - starts[low], section: low)
  }

  private func shownSections() -> [TablePage.Section] {
    (controller.sections ?? []).prefix(Self.shownSections).enumerated().map { place, section in
      TablePage.Section(
        name: section.name, indexTitle: section.indexTitle ?? "", start: starts[place],
        count: section.numberOfObjects)
    }
  }

  // MARK: Changes

  /// Has the controller read all rows, if it has not yet.
  func prepare() async throws {
    try await context.perform { [self] in
      guard !isReady else { return }
      try controller.performFetch()
      noteSections()
      observation = controller.addObserver { [weak self] in self?.tell($0) }
      isReady = true
    }
  }

  /// The reports from now on, after a greeting with the version that they begin from.
  func events() async throws -> AsyncThrowingStream<Data, any Error> {
    try await prepare()
    return try await context.perform { [self] in
      struct Greeting: Encodable {
        let version: Int
        let total: Int
      }
      let greeting = Greeting(version: version, total: starts.last ?? 0)
      return broadcast.stream(first: [try EventText.event("hello", id: version, greeting)])
    }
  }

  private func noteSections() {
    var starts = [0]
    for section in controller.sections ?? [] {
      starts.append((starts.last ?? 0) + section.numberOfObjects)
    }
    self.starts = starts.count > 1 ? starts : [0, 0]
  }

  private func tell(_ report: FetchedResultsReport) {
    let old = starts
    noteSections()
    version += 1
    func rank(_ path: IndexPath, _ starts: [Int]) -> Int { starts[path.section] + path.row }
    var told = TableReport(version: version, total: starts.last ?? 0)
    told.sections.deleted = report.deletedSections.map(\.index)
    told.sections.inserted = report.insertedSections.map { section in
      TableReport.InsertedSection(
        at: section.index, name: section.name,
        indexTitle: controller.sectionIndexTitle(forSectionName: section.name) ?? "")
    }
    told.deleted = report.deletedRows.map { rank($0.indexPath, old) }
    told.inserted = report.insertedRows.map { rank($0.indexPath, starts) }
    told.moved = report.movedRows.map { [rank($0.indexPath, old), rank($0.newIndexPath, starts)] }
    told.updated = report.updatedRows.map { rank($0.newIndexPath, starts) }
    if query.section != nil {
      told.sectionCounts = (controller.sections ?? []).prefix(Self.shownSections)
        .map(\.numberOfObjects)
    }
    do {
      broadcast.send(try EventText.event("report", id: version, told))
    } catch {
      // Readers come again and begin anew.
      broadcast.finish()
    }
  }

  /// Ends the streams, and follows the context no more.
  func close() async {
    broadcast.finish()
    await context.perform { [self] in observation = nil }
  }
}

extension Duration {
  /// The duration in milliseconds.
  var milliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }
}
