import CoreData
import Testing

/// Represents a second module of the program, with another class named `Contact`.
enum OtherModule {
  final class Contact: NSManagedObject {}
  final class Address: NSManagedObject {}
}

@Suite("Classes of entities by name", .serialized)
struct ClassNameTests {
  private func type(named name: String?) throws -> NSManagedObject.Type {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    entity.managedObjectClassName = name
    // `Contact` sets this property when it is made.
    entity.properties = [SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let stack = try SampleStack(model: model)
    return stack.context.performAndWait { Swift.type(of: stack.context.insert("Thing")) }
  }

  @Test("A name with a module finds its class, even if one in another module is registered")
  func twoModules() throws {
    ManagedObjectClasses.register([OtherModule.Contact.self])
    #expect(try type(named: "CoreDataTests.Contact") == Contact.self)
    #expect(try type(named: "CoreDataTests.OtherModule.Contact") == OtherModule.Contact.self)
  }

  @Test("A name without a module finds a registered class")
  func withoutModule() throws {
    ManagedObjectClasses.register([OtherModule.Address.self])
    #expect(try type(named: "Address") == OtherModule.Address.self)
    #expect(try type(named: ".Address") == OtherModule.Address.self)
    // The model was made for a program whose module has a different name.
    #expect(try type(named: "Shop.Address") == OtherModule.Address.self)
  }

  /// Apple's Core Data logs "Class not found, using default NSManagedObject instead."
  @Test("The class is NSManagedObject if the named one is missing or is not a managed object")
  func unknown() throws {
    #expect(try type(named: "Shop.NoSuchClass") == NSManagedObject.self)
    #expect(try type(named: "CoreDataTests.ColorTransformer") == NSManagedObject.self)
    #expect(try type(named: nil) == NSManagedObject.self)
    #expect(try type(named: "") == NSManagedObject.self)
  }
}
