import CoreData
import Testing

/// A coordinator of a store that keeps history, and a context confined to the test's own thread.
struct HistoryStack {
  let coordinator: NSPersistentStoreCoordinator
  let store: NSPersistentStore
  let context: NSManagedObjectContext
  let url: URL
  /// Keeps the file as long as the stack exists.
  private let folder: TemporaryFolder?

  static var tracking: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true as NSNumber] }

  init(
    _ url: URL, model: NSManagedObjectModel = SampleStack.makeModel(),
    options: [AnyHashable: Any]? = tracking, in folder: TemporaryFolder? = nil
  ) throws {
    self.folder = folder
    self.url = url
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    context = .confined(to: coordinator)
  }

  /// Makes a new store of the kind that the test's scope selects.
  init(model: NSManagedObjectModel = SampleStack.makeModel()) throws {
    let url = try StoreScope.current.newURL()
    try self.init(url.path == "/dev/null" ? TestedStore.newNamedURL() : url, model: model)
  }

  /// Makes a new store in a separate file.
  static func onFile(model: NSManagedObjectModel = SampleStack.makeModel()) throws -> HistoryStack {
    let folder = try TemporaryFolder()
    return try HistoryStack(TestedStore.sqlite.url(in: folder), model: model, in: folder)
  }

  /// Opens the same store with another coordinator.
  func another(model: NSManagedObjectModel? = nil) throws -> HistoryStack {
    try HistoryStack(url, model: model ?? coordinator.managedObjectModel, in: folder)
  }

  func newContext() -> NSManagedObjectContext { .confined(to: coordinator) }
  func close() throws { try coordinator.remove(store) }

  /// Executes a request and returns its result.
  func result(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
    let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
    #expect(result.resultType == request.resultType)
    return result.result
  }

  func transactions(
    _ request: NSPersistentHistoryChangeRequest = .fetchHistory(after: .distantPast)
  ) throws -> [NSPersistentHistoryTransaction] {
    try #require(try result(request) as? [NSPersistentHistoryTransaction])
  }

  /// Returns the changes of a request in short form: `+Player p1`, `~Player p1 age,name`, `-Player
  /// p1`.
  func changes(
    _ request: NSPersistentHistoryChangeRequest = .fetchHistory(after: .distantPast)
  ) throws -> [String] {
    request.resultType = .changesOnly
    let changes = try #require(try result(request) as? [NSPersistentHistoryChange])
    return changes.map(\.short)
  }

  var token: NSPersistentHistoryToken? {
    coordinator.currentPersistentHistoryToken(fromStores: [store])
  }
}

extension NSPersistentHistoryChange {
  var short: String {
    let id = changedObjectID
    let text = "\(id.entity.name ?? "") \(id.uriRepresentation().lastPathComponent)"
    switch changeType {
    case .insert: return "+\(text)"
    case .delete: return "-\(text)"
    case .update:
      let names = updatedProperties.map { $0.map(\.name).sorted().joined(separator: ",") }
      return "~\(text) \(names ?? "?")"
    }
  }
}
