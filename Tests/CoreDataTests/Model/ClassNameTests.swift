import CoreData
import Testing

/// The classes of another module of the program, as far as names go.
enum OtherModule {
  final class Contact: NSManagedObject {}
  final class Address: NSManagedObject {}
}

@Suite("Classes of entities are found by their names", .serialized)
struct ClassNameTests {
  private func type(named name: String?) throws -> NSManagedObject.Type {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    entity.managedObjectClassName = name
    // `Contact` sets it when it is made.
    entity.properties = [SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let stack = try SampleStack(model: model)
    return stack.context.performAndWait { Swift.type(of: stack.context.insert("Thing")) }
  }

  @Test("with the module, also where a class of the same name was registered")
  func twoModules() throws {
    ManagedObjectClasses.register([OtherModule.Contact.self])
    #expect(try type(named: "CoreDataTests.Contact") == Contact.self)
    #expect(try type(named: "CoreDataTests.OtherModule.Contact") == OtherModule.Contact.self)
  }

  @Test("without the module, when they were registered")
  func withoutModule() throws {
    ManagedObjectClasses.register([OtherModule.Address.self])
    #expect(try type(named: "Address") == OtherModule.Address.self)
    #expect(try type(named: ".Address") == OtherModule.Address.self)
    // The model was made for a program whose module had another name.
    #expect(try type(named: "Shop.Address") == OtherModule.Address.self)
  }

  /// Apple's log says so: "Class not found, using default NSManagedObject instead."
  @Test("and are NSManagedObject where there is none, or the class is of another kind")
  func unknown() throws {
    #expect(try type(named: "Shop.NoSuchClass") == NSManagedObject.self)
    #expect(try type(named: "CoreDataTests.ColorTransformer") == NSManagedObject.self)
    #expect(try type(named: nil) == NSManagedObject.self)
    #expect(try type(named: "") == NSManagedObject.self)
  }
}
