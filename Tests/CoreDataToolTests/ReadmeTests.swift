import CoreData
import Foundation
import Testing

/// Compiles and runs the program in the README.
struct ReadmeTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `The program in the README finds Ada`() throws {
    let temporary = try TemporaryStore()
    let modelURL = Self.repository.appendingPathComponent("Examples/Contacts/Contacts.xcdatamodeld")
    let storeURL = URL(fileURLWithPath: temporary.path("Contacts.sqlite"))
    var printed: [String] = []
    func print(_ items: Any...) {
      printed.append(items.map { "\($0)" }.joined(separator: " "))
    }

    // README
    let model = try NSManagedObjectModel(validating: modelURL)
    let container = NSPersistentContainer(name: "Contacts", managedObjectModel: model)
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: storeURL)
    ]
    container.loadPersistentStores { _, error in
      if let error { Swift.print("The store cannot be opened: \(error.localizedDescription)") }
    }

    let context = container.newBackgroundContext()
    try context.performAndWait {
      let ada = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      ada.setValue("Ada", forKey: "firstName")
      ada.setValue("Lovelace", forKey: "lastName")
      ada.setValue(36, forKey: "age")
      try context.save()

      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      request.predicate = NSPredicate(format: "age >= %d AND lastName BEGINSWITH[c] %@", 30, "lo")
      request.sortDescriptors = [NSSortDescriptor(key: "lastName", ascending: true)]
      for person in try context.fetch(request) {
        print(person.value(forKey: "firstName") ?? "", person.value(forKey: "lastName") ?? "")
      }
    }
    // END

    #expect(printed == ["Ada Lovelace"])
  }

  @Test func `The program in the README is the program tested here`() throws {
    let text = try String(
      contentsOf: Self.repository.appendingPathComponent("README.md"), encoding: .utf8)
    let parts = text.components(separatedBy: "```swift\nimport CoreData\n\n")
    let inReadme = try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
      .replacing("URL(fileURLWithPath: \"Contacts.xcdatamodeld\")", with: "modelURL")
      .replacing("URL(fileURLWithPath: \"Contacts.sqlite\")", with: "storeURL")
      .replacing("{ print(\"The store", with: "{ Swift.print(\"The store")
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let begin = "    // README\n"
    let tested = try #require(
      source.components(separatedBy: begin).dropFirst().first?
        .components(separatedBy: "    // END").first)
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { String($0.trimmingPrefix(while: \.isWhitespace)) }
    }
    #expect(lines(inReadme) == lines(tested))
  }
}
