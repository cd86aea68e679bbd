import ContactsSample
import CoreData
import CoreDataExplorer
import Foundation
import StoreInspection
import Testing

/// A store with some people, and the explorer of it.
final class ExploredStore {
  let folder: URL
  let url: URL
  let explorer: Explorer
  let cookie: String

  /// - Parameter names: the people, in this order; the n-th is n years old.
  init(_ names: [String] = ["Ann", "Bob", "Cora"], isWritable: Bool = false) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("Contacts.sqlite")
    let store = try OpenedStore.create(url.path, model: ContactsModel.load())
    try store.context.performAndWait {
      for (number, name) in names.enumerated() {
        let person = NSEntityDescription.insertNewObject(
          forEntityName: "Person", into: store.context)
        person.setValue(name, forKey: "lastName")
        person.setValue(number + 1, forKey: "age")
      }
      try store.context.save()
    }
    store.close { Issue.record("\($0)") }
    let opened = try OpenedStore.open(url.path, model: nil, readOnly: !isWritable)
    explorer = try Explorer(
      opened, admission: Admission(token: "secret", hosts: ["localhost:80"], port: 80),
      isWritable: isWritable)
    cookie = "explorer-80=secret"
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func get(_ target: String, headers: [(String, String)] = []) async -> WebResponse {
    await explorer.answer(
      to: WebRequest(
        method: "GET", target: target,
        headers: [("Host", "localhost:80"), ("Cookie", cookie)] + headers))
  }

  /// The answer of a program's address, decoded.
  func json(_ target: String) async throws -> [String: Any] {
    let answer = await get(target)
    guard case .data(let data) = answer.body else { return [:] }
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}
