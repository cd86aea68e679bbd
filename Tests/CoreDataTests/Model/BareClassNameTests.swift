import CoreData
import Testing

/// The class of a program whose model is made in code and names the class without a module.
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
    "A bare name with no class, or with one that is not a managed object, means NSManagedObject")
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
