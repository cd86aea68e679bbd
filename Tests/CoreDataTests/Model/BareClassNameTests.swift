import CoreData
import Testing

/// A class as programs have them whose models are made in code: the model gives its name without a module.
final class BarelyNamed: NSManagedObject {}

@Suite("Classes by names without a module") struct BareClassNameTests {
  @Test("are found wherever they are in the program")
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

  @Test("are none where nothing in the program has the name, or what has it holds no objects")
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
