import CoreData
import Foundation
import ObjectModel
import StoreInspection
import Synchronization

/// How many exports go on: each reads from the store as long as somebody takes it, and reading is shared by all.
final class ExportPlaces: Sendable {
  private static let most = 2
  private let running = Mutex(0)

  /// - Throws: ``WebFailure`` where there is none.
  func take() throws {
    try running.withLock { running in
      guard running < Self.most else {
        throw WebFailure(status: 503, "\(Self.most) exports go on already; wait for one of them")
      }
      running += 1
    }
  }

  func giveBack() { running.withLock { $0 -= 1 } }
}

/// All rows of a table as CSV or JSON (an object a line), as fast as the reader takes them and no faster.
struct TableExport: Sendable {
  enum Format: String {
    case csv, json

    var type: String {
      switch self {
      case .csv: "text/csv; charset=utf-8"
      case .json: "application/x-ndjson; charset=utf-8"
      }
    }
  }

  /// How many parts wait for the reader at the most.
  private static let waitingParts = 8
  /// How long somebody waits who has more parts than that.
  private static let pause = 0.002

  let query: TableQuery
  let format: Format
  let places: ExportPlaces

  /// How many rows there will be, and their text in parts; what is not saved is not among them.
  func begin(
    _ entity: NSEntityDescription, of coordinator: NSPersistentStoreCoordinator
  ) async throws -> (count: Int, parts: Broadcast.Stream) {
    try places.take()
    do {
      return try await start(entity, of: coordinator)
    } catch {
      places.giveBack()
      throw error
    }
  }

  private func start(
    _ entity: NSEntityDescription, of coordinator: NSPersistentStoreCoordinator
  ) async throws -> (count: Int, parts: Broadcast.Stream) {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    let (query, format, places) = (query, format, places)
    let count = try await context.perform {
      try context.setQueryGenerationFrom(.current)
      return try context.count(for: try query.request(of: entity))
    }
    let parts = Broadcast.Stream(bufferingPolicy: .bufferingOldest(Self.waitingParts)) { reader in
      let ended = EndedFlag()
      reader.onTermination = { _ in ended.set() }
      context.perform {
        defer { places.giveBack() }
        do {
          try Self.write(query, entity, format, in: context) { part in
            while !ended.isSet, case .dropped = reader.yield(part) {
              Thread.sleep(forTimeInterval: Self.pause)
            }
            if ended.isSet { throw CancellationError() }
          }
          reader.finish()
        } catch {
          reader.finish(throwing: error)
        }
      }
    }
    return (count, parts)
  }

  private static func write(
    _ query: TableQuery, _ entity: NSEntityDescription, _ format: Format,
    in context: NSManagedObjectContext, _ give: (Data) throws -> Void
  ) throws {
    let columns = try query.resultColumns(of: entity)
    var text = ""
    var writer: any RowWriter =
      switch format {
      case .csv: CSVWriter { text += $0 }
      case .json: JSONWriter { text += $0 }
      }
    writer.begin(columns: columns.map(\.title), sectioned: false)
    try context.forEachBatch(of: try query.request(of: entity)) { objects in
      let values = try columns.map { try $0.values(for: objects, in: context) }
      for row in objects.indices { writer.row(values.map { $0[row] }) }
      try give(Data(text.utf8))
      text = ""
    }
    writer.end()
    if !text.isEmpty { try give(Data(text.utf8)) }
  }

  private final class EndedFlag: Sendable {
    private let flag = Mutex(false)
    var isSet: Bool { flag.withLock { $0 } }
    func set() { flag.withLock { $0 = true } }
  }
}
