import ContactsSample
import CoreData
import CoreDataExplorer
import Foundation
import StoreInspection
import Testing

/// A store with some people, and its explorer.
final class ExploredStore {
  let folder: URL
  let url: URL
  let explorer: Explorer
  let cookie: String
  /// The files before the explorer opened them.
  let filesBefore: [String: Data]

  private let model: NSManagedObjectModel

  /// More time than a query needs while all tests share two busy cores.
  static let generousTime = Duration.seconds(3600)
  static let limits = QueryLimits(time: generousTime)

  /// - Parameter names: The people, in this order. The n-th is n years old.
  convenience init(_ names: [String] = ["Ann", "Bob", "Cora"], isWritable: Bool = false) throws {
    try self.init(try ContactsModel.load(), isWritable: isWritable) { context in
      for (number, name) in names.enumerated() {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(name, forKey: "lastName")
        person.setValue(number + 1, forKey: "age")
      }
    }
  }

  /// Makes a store of another model, with the objects that `fill` inserts.
  init(
    _ model: NSManagedObjectModel, isWritable: Bool = false,
    limits: QueryLimits = ExploredStore.limits,
    _ fill: (NSManagedObjectContext) throws -> Void
  ) throws {
    self.model = model
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("Contacts.sqlite")
    let store = try OpenedStore.create(url.path, model: model)
    try store.context.performAndWait {
      try fill(store.context)
      try store.context.save()
    }
    store.close { Issue.record("\($0)") }
    filesBefore = try Self.files(in: folder)
    explorer = try Explorer(
      opening: url.path, model: nil, isWritable: isWritable, admission: Admission(token: "secret"),
      limits: limits)
    cookie = "explorer-80=secret"
  }

  static func model() throws -> NSManagedObjectModel { try ContactsModel.load() }

  /// Changes the store through another coordinator, as another process would.
  func saveElsewhere(_ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void)
    async throws
  {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try await context.perform {
      try body(context)
      try context.save()
    }
  }

  /// The stored value of a person's attribute, read through another coordinator.
  func stored(_ attribute: String, of key: Int64) throws -> String? {
    let other = try OpenedStore.open(url.path, model: nil, readOnly: true)
    defer { other.close { Issue.record("\($0)") } }
    return try other.context.performAndWait {
      let people = try other.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
      return people.first { $0.objectID.uriRepresentation().lastPathComponent == "p\(key)" }?
        .value(forKey: attribute) as? String
    }
  }

  /// All files in the store's folder with their contents. Must not be called while the store is
  /// open, because closing a file releases SQLite's locks on it.
  func filesAfter() throws -> [String: Data] { try Self.files(in: folder) }

  private static func files(in folder: URL) throws -> [String: Data] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try names.reduce(into: [:]) { files, name in
      let file = folder.appendingPathComponent(name)
      if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true { return }
      files[name] = try Data(contentsOf: file)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func get(_ target: String, headers: [(String, String)] = []) async -> WebResponse {
    await explorer.answer(
      to: WebRequest(
        method: "GET", target: target,
        headers: [("Host", "localhost:80"), ("Cookie", cookie)] + headers))
  }

  /// Sends a request as a page of the explorer does.
  func post(_ target: String, _ body: String = "{}") async throws -> (Int, [String: Any]) {
    let answer = await explorer.answer(
      to: WebRequest(
        method: "POST", target: target,
        headers: [
          ("Host", "localhost:80"), ("Cookie", cookie), ("Origin", "http://localhost:80"),
          ("X-Explorer", "1"),
        ], body: Data(body.utf8)))
    return (answer.status, try Self.decoded(answer))
  }

  /// The decoded response of an address for programs.
  func json(_ target: String) async throws -> [String: Any] {
    try Self.decoded(await get(target))
  }

  func text(_ target: String) async throws -> String {
    let answer = await get(target)
    switch answer.body {
    case .data(let data): return String(decoding: data, as: UTF8.self)
    case .stream(let parts):
      var text = ""
      for try await part in parts { text += String(decoding: part, as: UTF8.self) }
      return text
    }
  }

  /// Closes the explorer. Any message except that about discarded unsaved changes fails the test.
  ///
  /// - Parameter note: Receives the messages.
  func close(_ note: (String) -> Void = { _ in }) async {
    await explorer.close {
      note($0)
      if !$0.contains("unsaved changes were discarded") { Issue.record("\($0)") }
    }
  }

  private static func decoded(_ answer: WebResponse) throws -> [String: Any] {
    guard case .data(let data) = answer.body else { return [:] }
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}
