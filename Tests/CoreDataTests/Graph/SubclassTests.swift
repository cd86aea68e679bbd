import CoreData
import Testing

/// A class such as an application defines, with accessors that use key-value coding.
final class Contact: NSManagedObject {
  var name: String? {
    get { value(forKey: "name") as? String }
    set { setValue(newValue, forKey: "name") }
  }
  var age: Int16 {
    get { value(forKey: "age") as? Int16 ?? 0 }
    set { setValue(newValue, forKey: "age") }
  }
  var friends: Set<Contact> {
    get { value(forKey: "friends") as? Set<Contact> ?? [] }
    set { setValue(newValue as NSSet, forKey: "friends") }
  }

  private(set) var log: [String] = []

  override func awakeFromInsert() {
    super.awakeFromInsert()
    log.append("awakeFromInsert")
    setValue("new", forKey: "name")
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    log.append("awakeFromFetch")
  }

  override func willSave() {
    super.willSave()
    log.append("willSave")
  }

  override func didSave() {
    super.didSave()
    log.append("didSave")
  }

  override func prepareForDeletion() {
    super.prepareForDeletion()
    log.append("prepareForDeletion")
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    if name == "nobody" {
      throw NSError(domain: "Contacts", code: 7)
    }
  }
}

@Suite("Subclasses of NSManagedObject", .onEveryStore)
struct SubclassTests {
  private func stack() throws -> SampleStack {
    let contact = NSEntityDescription()
    contact.name = "Contact"
    contact.managedObjectClassName = "CoreDataTests.Contact"
    let friends = SampleStack.relationship("friends", to: contact, toMany: true)
    friends.inverseRelationship = friends
    contact.properties = [
      SampleStack.attribute("name", .stringAttributeType),
      SampleStack.attribute("age", .integer16AttributeType), friends,
    ]
    let model = NSManagedObjectModel()
    model.entities = [contact]
    return try SampleStack(model: model)
  }

  @Test("are instantiated on insertion and fetch, and receive the life cycle callbacks")
  func lifeCycle() throws {
    let stack = try stack()
    let context = stack.context
    try context.performAndWait {
      let ann = Contact(context: context)
      #expect(ann.log == ["awakeFromInsert"])
      #expect(ann.name == "new")
      ann.name = "Ann"
      ann.age = 41
      let bob = Contact(context: context)
      bob.name = "Bob"
      ann.friends = [bob]
      #expect(bob.friends == [ann])
      try context.save()
      #expect(ann.log == ["awakeFromInsert", "willSave", "didSave"])
      let id = ann.objectID
      context.reset()
      let request = NSFetchRequest<Contact>(entityName: "Contact")
      request.predicate = NSPredicate(format: "age > %d", 40)
      let found = try #require(try context.fetch(request).first)
      #expect(found.log.isEmpty)
      #expect(found.name == "Ann")
      #expect(found.log == ["awakeFromFetch"])
      #expect(!found.hasChanges)
      #expect(found.objectID == id)
      #expect(found.friends.first?.name == "Bob")
      #expect(found.friends.first?.friends == [found])
      context.delete(found)
      #expect(found.log.last == "prepareForDeletion")
      try context.save()
      #expect(try context.count(for: request) == 0)
      #expect(Contact.entity().name == "Contact")
      #expect(Contact.fetchRequest().entityName == "Contact")
    }
  }

  @Test("can add their own validation rules")
  func validation() throws {
    let stack = try stack()
    try stack.context.performAndWait {
      let contact = Contact(context: stack.context)
      contact.name = "nobody"
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.domain == "Contacts" && error?.code == 7)
      contact.name = "somebody"
      try stack.context.save()
    }
  }

  @Test("a controller passes instances of the subclass to its delegate")
  func controller() throws {
    let stack = try stack()
    try stack.context.performAndWait {
      let request = NSFetchRequest<Contact>(entityName: "Contact")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: nil,
        cacheName: nil)
      let delegate = Delegate()
      controller.delegate = delegate
      try controller.performFetch()
      let ann = Contact(context: stack.context)
      ann.name = "Ann"
      try stack.context.save()
      #expect(delegate.names == ["Ann"])
      #expect(delegate.controller === controller)
      #expect(controller.object(at: IndexPath(row: 0, section: 0)).name == "Ann")
    }
  }

  private final class Delegate: NSFetchedResultsControllerDelegate {
    var names: [String] = []
    var controller: AnyObject?

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      self.controller = controller
      names.append((anObject as? Contact)?.name ?? "")
      if let newIndexPath {
        let found = controller.object(at: newIndexPath) as? Contact
        names[names.count - 1] = found?.name ?? ""
      }
    }
  }
}

@Suite("Opening stores")
struct ContainerTests {
  @Test("A persistent container opens its stores and provides contexts that share them")
  func container() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("Sample.sqlite")
    let container = NSPersistentContainer(
      name: "Sample", managedObjectModel: SampleStack.makeModel())
    #expect(container.persistentStoreDescriptions.first?.url?.lastPathComponent == "Sample.sqlite")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    container.loadPersistentStores { description, error in
      #expect(error == nil, "\(error?.localizedDescription ?? "")")
      #expect(description.url == url)
    }
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    try await container.performBackgroundTask { context in
      context.insert("Player", ["name": "Ann"])
      try context.save()
    }
    let count = try container.viewContext.performAndWait {
      try container.viewContext.all("Player").count
    }
    #expect(count == 1)

    // The second container represents the next launch of the application.
    let again = NSPersistentContainer(name: "Sample", managedObjectModel: SampleStack.makeModel())
    again.persistentStoreDescriptions = container.persistentStoreDescriptions
    again.loadPersistentStores { #expect($1 == nil) }
    let context = again.newBackgroundContext()
    let names = try context.performAndWait {
      try context.all("Player").compactMap { $0.value(forKey: "name") as? String }
    }
    #expect(names == ["Ann"])
  }

  @Test("A coordinator reports a store of another model, with the entities that differ")
  func wrongModel() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("Sample.sqlite")
    _ = try SampleStack(url: url)
    let changed = SampleStack.makeModel()
    changed.entitiesByName["Team"]?.properties.append(
      SampleStack.attribute("city", .stringAttributeType))
    let error = #expect(throws: NSError.self) { try SampleStack(url: url, model: changed) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(error?.localizedDescription.contains("changed: Team") == true)
  }
}
