import CoreData
import StoreInspection
import Synchronization

/// Limits the number of concurrent exports, because each reads from the store until its client has received everything.
final class ExportPlaces: Sendable {
  private static let most = 2
  private let state = Mutex(State())

  private struct State {
    var running = 0
    var isClosed = false
  }

  /// Whether running exports should end.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// - Throws: ``WebFailure`` if no place is free, or if the explorer closes.
  func acquire() throws {
    try state.withLock { state in
      guard !state.isClosed else {
        throw WebFailure(status: 503, "the explorer is closing, so no export can start")
      }
      guard state.running < Self.most else {
        throw WebFailure(
          status: 503, "\(Self.most) exports are already running; wait until one finishes")
      }
      state.running += 1
    }
  }

  func release() { state.withLock { $0.running -= 1 } }

  /// Ends running exports and waits until they have ended, because an export whose client is gone still reads from the
  /// store.
  func close() async {
    state.withLock { $0.isClosed = true }
    while state.withLock({ $0.running }) > 0 { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

/// Exports all rows of a table as CSV or JSON, at the speed of the client.
struct TableExport: Sendable {
  enum Format: String {
    case csv, json

    var type: String {
      switch self {
      case .csv: "text/csv; charset=utf-8"
      case .json: "application/json; charset=utf-8"
      }
    }
  }

  /// The number of rows that are read at a time from a context with unsaved changes.
  private static let batchSize = 1_000

  let query: TableQuery
  let format: Format
  /// For CSV: whether to put an apostrophe before text that a spreadsheet would run as a formula.
  let quotesFormulas: Bool
  let places: ExportPlaces
  let limits: QueryLimits

  /// Starts the export. Returns the number of rows and their text in parts.
  ///
  /// - Parameter unsaved: The context with unsaved changes, to export them as the table shows them; nil to export a
  ///   consistent snapshot of the store.
  func begin(
    _ entity: NSEntityDescription, of coordinator: NSPersistentStoreCoordinator,
    unsaved: NSManagedObjectContext?
  ) async throws -> (count: Int, parts: Broadcast.Stream) {
    try places.acquire()
    do {
      if let unsaved { return try await start(entity, in: unsaved) }
      return try await start(entity, of: coordinator)
    } catch {
      places.release()
      throw error
    }
  }

  /// Exports the stored rows.
  private func start(
    _ entity: NSEntityDescription, of coordinator: NSPersistentStoreCoordinator
  ) async throws -> (count: Int, parts: Broadcast.Stream) {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    let count = try await limits.run(in: context) {
      // A snapshot, so that the number of rows agrees with the rows that follow.
      try context.setQueryGenerationFrom(.current)
      return try query.reporting {
        try context.count(
          for: try query.request(of: entity, in: context.persistentStoreCoordinator))
      }
    }
    let parts = ExportSink.stream(in: places) { sink in
      context.perform {
        let result = Result {
          let columns = try query.resultColumns(of: entity)
          let text = ExportText(
            format, columns: columns.map(\.title), quotesFormulas: quotesFormulas)
          try context.forEachBatch(
            of: try query.request(of: entity, in: context.persistentStoreCoordinator)
          ) { objects in
            text.add(try Self.rows(of: objects, columns, in: context))
            try sink.sendBlocking(text.drain())
          }
          text.end()
          try sink.sendBlocking(text.drain())
        }
        // Without its snapshot, the context no longer holds a connection.
        try? context.setQueryGenerationFrom(nil)
        // Release the place first: a client that has read the end may start another export.
        places.release()
        sink.finish(result)
      }
    }
    return (count, parts)
  }

  /// Exports the rows of a context including unsaved changes. Each row has the values of the moment when it is read.
  private func start(
    _ entity: NSEntityDescription, in context: NSManagedObjectContext
  ) async throws -> (count: Int, parts: Broadcast.Stream) {
    let ids = try await limits.run(in: context) {
      let request = NSFetchRequest<NSManagedObjectID>(entityName: entity.name ?? "")
      let rows = try query.request(of: entity, in: context.persistentStoreCoordinator)
      (request.predicate, request.sortDescriptors) = (rows.predicate, rows.sortDescriptors)
      request.resultType = .managedObjectIDResultType
      return try query.reporting { try context.fetch(request) }
    }
    let parts = ExportSink.stream(in: places) { sink in
      Task {
        do {
          let columns = try query.resultColumns(of: entity)
          let text = ExportText(
            format, columns: columns.map(\.title), quotesFormulas: quotesFormulas)
          for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
            let part = Array(ids[start..<min(start + Self.batchSize, ids.count)])
            let rows = try await context.perform {
              try Self.rows(of: try context.objects(of: part, entity), columns, in: context)
            }
            text.add(rows)
            try await sink.send(text.drain())
          }
          text.end()
          try await sink.send(text.drain())
          places.release()
          sink.finish(.success(()))
        } catch {
          places.release()
          sink.finish(.failure(error))
        }
      }
    }
    return (ids.count, parts)
  }

  private static func rows(
    of objects: [NSManagedObject], _ columns: [ResultColumn], in context: NSManagedObjectContext
  ) throws -> [[CellValue]] {
    let values = try columns.map { try TableRow.values(of: $0, objects, in: context) }
    return objects.indices.map { row in values.map { $0[row] } }
  }
}

extension NSManagedObjectContext {
  /// Fetches the objects with some IDs in one request, and returns them in the order of the IDs, without those that no
  /// longer exist.
  func objects(
    of ids: [NSManagedObjectID], _ entity: NSEntityDescription
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.predicate = try NSPredicate(validating: "SELF IN %@", arguments: [ids])
    let found = Dictionary(
      try fetch(request).map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    return ids.compactMap { found[$0] }
  }
}
