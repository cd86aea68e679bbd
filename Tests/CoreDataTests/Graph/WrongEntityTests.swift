import CoreData
import Foundation
import Testing

/// The entity in an ID may differ from the entity of its row: in a URI that was made by hand, or in a reference of a
/// damaged file.
@Suite("An object with a different entity than its row", .onEveryStore)
struct WrongEntityTests {
  @Test(
    "is replaced with one of the row's entity when the row is fetched",
    .only([.sqlite, .memorySQLite], "another program may damage a SQLite file"))
  func replaced() throws {
    let stack = try SampleStack()
    let uri: URL = try stack.context.performAndWait {
      let captain = stack.context.insert(
        "Captain", ["name": "Ann", "since": Date(timeIntervalSince1970: 5)])
      try stack.context.save()
      return captain.objectID.uriRepresentation()
    }
    let wrong = try #require(
      URL(string: uri.absoluteString.replacingOccurrences(of: "/Captain/", with: "/Player/")))
    let context = stack.newContext()
    try context.performAndWait {
      let id = try #require(stack.coordinator.managedObjectID(forURIRepresentation: wrong))
      let object = context.object(with: id)
      object.setValue("Bob", forKey: "name")
      let request = NSFetchRequest<NSManagedObject>(entityName: "Captain")
      request.sortDescriptors = [NSSortDescriptor(key: "since", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      try controller.performFetch()
      let captain = try #require(controller.fetchedObjects?.first)
      #expect(captain.entity.name == "Captain")
      #expect(captain.value(forKey: "since") as? Date == Date(timeIntervalSince1970: 5))
      #expect(captain.value(forKey: "name") as? String == "Ann")
      try context.save()
    }
  }
}
