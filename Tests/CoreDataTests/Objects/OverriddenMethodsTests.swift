@testable import CoreData
import Testing

/// If a class overrides value validation, each value is passed to the override; otherwise the model's
/// rules suffice.
@Suite("Classes that override validation")
struct OverriddenMethodsTests {
  @Test("A class that does not validate values is validated only by the model's rules")
  func classesWithoutRules() {
    #expect(!OverriddenMethods.overridesValidation(NSManagedObject.self))
    #expect(!OverriddenMethods.overridesValidation(Unruled.self))
    #expect(!OverriddenMethods.overridesValidation(UnruledHeir.self))
  }

  @Test(
    "A class that overrides either form of value validation is recognized, and so is its subclass")
  func classesWithRules() {
    #expect(OverriddenMethods.overridesValidation(RuledByValue.self))
    #expect(OverriddenMethods.overridesValidation(RuledByPointer.self))
    #expect(OverriddenMethods.overridesValidation(RuledHeir.self))
  }

  @Test("A save calls every form of value validation")
  func everyFormIsCalled() throws {
    for type in [RuledByValue.self, RuledByPointer.self, RuledHeir.self] as [NSManagedObject.Type] {
      try SampleStack.withContext(model: Self.model(type)) { context in
        let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        thing.setValue("bad", forKey: "name")
        #expect(throws: (any Error).self, "\(type)") { try context.save() }
        thing.setValue("good", forKey: "name")
        try context.save()
      }
    }
  }

  private static func model(_ type: NSManagedObject.Type) -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    entity.managedObjectClassName = String(reflecting: type)
    entity.properties = [SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }
}

class Unruled: NSManagedObject {
  var note = ""
  override func willSave() { note = "will" }
  override func didSave() { super.didSave() }
  override func validateForInsert() throws { try super.validateForInsert() }
  override func validateForUpdate() throws { try super.validateForUpdate() }
  override func awakeFromInsert() { super.awakeFromInsert() }
  override func value(forKey key: String) -> Any? { super.value(forKey: key) }
  required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    super.init(entity: entity, insertInto: context)
  }
}

final class UnruledHeir: Unruled {
  override func willSave() {}
}

private struct Bad: Error {}

class RuledByValue: NSManagedObject {
  override func validateValue(_ value: Any?, forKey key: String) throws {
    try super.validateValue(value, forKey: key)
    if value as? String == "bad" { throw Bad() }
  }
}

final class RuledByPointer: NSManagedObject {
  override func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    try super.validateValue(value, forKey: key)
    if value.pointee as? String == "bad" { throw Bad() }
  }
}

final class RuledHeir: RuledByValue {}
