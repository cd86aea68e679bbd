import CoreData
import Foundation
import PlainSQLite

/// The same people as structs, as a store, and as objects.
final class People {
  struct Person {
    var age: Int
    var name: String
  }

  let structs: [Person]
  let url: URL
  let coordinator: NSPersistentStoreCoordinator

  /// Makes people, which are the same each time, and a store of them.
  init(count: Int) throws {
    var state: UInt64 = 42
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    structs = (0..<count).map { _ in
      Person(age: next(90), name: Self.names[next(Self.names.count)])
    }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("opencoredata-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("People.sqlite")
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    try fill()
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  /// Makes a new context.
  func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Makes a request for all people, or for those that match a predicate.
  static func request(_ predicate: NSPredicate? = nil) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.predicate = predicate
    return request
  }

  private func fill() throws {
    var people = structs.makeIterator()
    let request = NSBatchInsertRequest(
      entityName: "Person", properties: ["age", "name", "score"]
    ) { values in
      guard let person = people.next() else { return true }
      values.set(person.age, at: 0)
      values.set(person.name, at: 1)
      values.set(Double(person.age) / 2, at: 2)
      return false
    }
    let context = context()
    _ = try context.performAndWait { try context.execute(request) }
  }

  /// Inserts a person as an object.
  @discardableResult
  static func insert(_ person: Person, into context: NSManagedObjectContext) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    object.setValue(person.age, forKey: "age")
    object.setValue(person.name, forKey: "name")
    object.setValue(Double(person.age) / 2, forKey: "score")
    return object
  }

  private static func model() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    let person = NSEntityDescription()
    person.name = "Person"
    person.properties = [
      attribute("age", .integer16AttributeType), attribute("name", .stringAttributeType),
      attribute("score", .doubleAttributeType),
    ]
    let model = NSManagedObjectModel()
    model.entities = [person]
    return model
  }

  private static let names = [
    "Ada", "Alice", "Anton", "Beatrix", "Bernd", "Carla", "Cem", "Dorothea", "Emil", "Erik",
    "Fatima", "Georg", "Hannah", "Ingrid", "Jakob", "Katharina", "Ludwig", "Maria", "Maximilian",
    "Noor", "Olga", "Paul", "Quentin", "Rosalind", "Soren", "Theodora", "Ursula", "Viktor",
    "Wilhelmina", "Xaver", "Yasmin", "Zora",
  ]
}
