import CoreData
import Floor
import Foundation

/// A temporary folder with a store in it, removed with this object.
final class StoreFolder {
  let url: URL
  let coordinator: NSPersistentStoreCoordinator
  private let folder: URL

  /// - Parameter model: The model of the store; nil for the one that most benchmarks use.
  init(_ model: NSManagedObjectModel? = nil, options: [String: Any]? = nil) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("opencoredata-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("Store.sqlite")
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model ?? StoreModels.make())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
  }

  deinit {
    for store in coordinator.persistentStores { try? coordinator.remove(store) }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Returns the URL of another file beside the store.
  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// Makes a new context.
  func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.undoManager = nil
    return context
  }

  /// Executes a request in a new context.
  func execute(_ request: NSPersistentStoreRequest) throws {
    let context = context()
    _ = try context.performAndWait { try context.execute(request) }
  }

  /// Inserts rows of ten numbers into the store.
  func insertReadings(_ count: Int, from first: Int = 1) throws {
    var row = Int64(first)
    let end = row + Int64(count)
    let names = (0..<10).map { "n\($0)" }
    let request = NSBatchInsertRequest(entityName: "Reading", properties: names) { values in
      if row == end { return true }
      let start = row * 31
      for place in 0..<10 { values.set(start + Int64(place), at: place) }
      row += 1
      return false
    }
    try execute(request)
  }

  /// Inserts rows of texts and numbers into the store.
  func insertCards(_ count: Int) throws {
    var row = 0
    let names =
      (0..<4).map { "t\($0)" } + (0..<3).map { "i\($0)" } + (0..<3).map { "d\($0)" }
    let request = NSBatchInsertRequest(entityName: "Card", properties: names) { values in
      if row == count { return true }
      for place in 0..<4 {
        let text = "\(row * 7919 % 100_003) some words that are read aloud"
        values.set(String(text.prefix(8 + (row + place * 9) % 33)), at: place)
      }
      for place in 4..<7 { values.set(row * place, at: place) }
      for place in 7..<10 { values.set(Double(row) / Double(place), at: place) }
      row += 1
      return false
    }
    try execute(request)
  }
}

/// The floor's database, closed with this object.
final class FloorDatabase {
  let handle: OpaquePointer

  struct Failure: Error, CustomStringConvertible { let description: String }

  init(_ url: URL) throws {
    guard let opened = floor_open(url.path) else {
      throw Failure(description: "cannot open \(url.path)")
    }
    handle = opened
  }

  deinit { floor_close(handle) }

  func check(_ code: Int32) throws {
    if code != 0 { throw failure }
  }

  /// Returns the sum of the values read; throws if reading failed.
  func rows(_ count: Int64, _ sum: Int64) throws -> Int {
    if count < 0 { throw failure }
    return Int(sum)
  }

  private var failure: Failure { Failure(description: String(cString: floor_message(handle))) }
}
