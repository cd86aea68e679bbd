import CoreData
import Testing

/// A managed object class whose name in a model created in code does not include the module.
final class BarelyNamed: NSManagedObject {}

@Suite("Class names without a module") struct BareClassNameTests {
  @Test("A class is found by its bare name in any module of the program")
  func bareName() throws {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    entity.managedObjectClassName = String(describing: BarelyNamed.self)
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let stack = NSPersistentContainer(name: "Bare", managedObjectModel: model)
    #expect(stack.persistentStoreCoordinator.managedObjectModel === model)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = stack.persistentStoreCoordinator
    context.performAndWait {
      #expect(BarelyNamed(context: context).entity.name == "Thing")
      let made = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
      #expect(type(of: made) == BarelyNamed.self)
    }
  }

  @Test(
    "A bare name means NSManagedObject if no managed object class has this name")
  func others() {
    for name in ["NobodyHasThisName", "Suite", "NSArray"] {
      let entity = NSEntityDescription()
      entity.name = "Thing"
      entity.managedObjectClassName = name
      let model = NSManagedObjectModel()
      model.entities = [entity]
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      context.performAndWait {
        let made = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        #expect(type(of: made) == NSManagedObject.self)
      }
    }
  }
}
