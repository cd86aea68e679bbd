import CoreData
import Testing

final class UnknowingPerson: NSManagedObject {}

final class InitialPerson: NSManagedObject {
  override func value(forUndefinedKey key: String) -> Any? {
    guard key == "initial" else { return super.value(forUndefinedKey: key) }
    return (value(forKey: "name") as? String).map { String($0.prefix(1)) }
  }
}

final class ShoutingPerson: NSManagedObject {
  override func value(forKey key: String) -> Any? {
    guard key == "shout" else { return super.value(forKey: key) }
    return (super.value(forKey: "name") as? String)?.uppercased()
  }
}

@Suite("Unknown keys in predicates over objects of custom classes")
struct UnknownKeyTests {
  /// Runs `body` with an object, on the queue of its context.
  private func withObject(
    _ type: NSManagedObject.Type, _ body: (NSManagedObject) throws -> Void
  ) throws {
    let entity = NSEntityDescription()
    entity.name = "Person"
    entity.managedObjectClassName = String(reflecting: type)
    entity.properties = [SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try context.performAndWait { try body(context.insert("Person", ["name": "ann"])) }
  }

  @Test(
    "are errors of the evaluation, whichever methods the class overrides",
    arguments: [
      "nosuch == 1", "SELF.nosuch == nil", "self.name.nosuch == 1", "nosuch.deeper == 1",
      "SUBQUERY({SELF}, $p, $p.nosuch == 1).@count > 0", "ANY {nosuch} == 1",
      "TERNARY(nosuch == 1, 1, 2) == 1", "FUNCTION(SELF, 'nosuch') == 1",
      "FUNCTION(SELF, 'valueForKeyPath:', 'nosuch') == 1", "@count == 1", "name[0] == 'a'",
    ])
  func thrown(_ format: String) throws {
    for type in [
      NSManagedObject.self, UnknowingPerson.self, InitialPerson.self, ShoutingPerson.self,
    ] {
      try withObject(type) { object in
        let predicate = try NSPredicate(validating: format)
        #expect(throws: (any Error).self, "\(type)") { try predicate.evaluated(with: object) }
        #expect(!predicate.evaluate(with: object), "\(type)")
      }
    }
  }

  @Test("are read if the class returns values for them")
  func overridden() throws {
    for (type, format) in [
      (InitialPerson.self as NSManagedObject.Type, "initial == 'a' AND name == 'ann'"),
      (ShoutingPerson.self, "shout == 'ANN' AND name == 'ann'"),
    ] {
      try withObject(type) { object in
        #expect(try NSPredicate(validating: format).evaluated(with: object))
        // An unknown key does not affect the next evaluation.
        let unknown = try NSPredicate(validating: "nosuch == 1")
        #expect(throws: (any Error).self) { try unknown.evaluated(with: object) }
        #expect(try NSPredicate(validating: format).evaluated(with: object))
      }
    }
  }
}
