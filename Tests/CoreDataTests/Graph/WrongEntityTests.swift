import CoreData
import Foundation
import Testing

/// An ID names an entity, and the row of its key may have another one: a URI that was made by hand, a
/// reference in a damaged file.
@Suite("An object of another entity than its row has", .onEveryStore)
struct WrongEntityTests {
  @Test(
    "gives way to one of the row's entity when the row is fetched",
    .only([.sqlite, .memorySQLite], "files of others can be damaged"))
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
