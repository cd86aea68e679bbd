import CoreData
import Testing

@Suite("A model with errors")
struct InvalidModelTests {
  private func spoiledModel() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.uniquenessConstraints = [["nmae"]]
    model.entitiesByName["Tag"]?.attributesByName["label"]?.defaultValue = 5
    return model
  }

  @Test(
    "A coordinator rejects an invalid model with all errors at once, and accepts the fixed model")
  func refused() throws {
    let model = spoiledModel()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let error = try #require(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
    }
    #expect(error.code == NSValidationMultipleErrorsError)
    #expect((error.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
    #expect(
      error.localizedDescription == """
        The model cannot be used; it has 2 errors:
          Player: a uniqueness constraint contains the unknown property 'nmae' (did you mean 'name'?)
          Tag.label: the default value 5 is not of the type String
        """)
    #expect(coordinator.persistentStores.isEmpty)
    model.entitiesByName["Player"]?.uniquenessConstraints = []
    model.entitiesByName["Tag"]?.attributesByName["label"]?.defaultValue = "five"
    _ = try SampleStack(model: model)
  }

  @Test("A container and a fetch throw the errors of an invalid model")
  func container() throws {
    let container = NSPersistentContainer(name: "Spoiled", managedObjectModel: spoiledModel())
    container.persistentStoreDescriptions[0].url = URL(fileURLWithPath: "/dev/null")
    let errors = ErrorBox()
    container.loadPersistentStores { _, error in errors.add(error) }
    #expect(errors.all.count == 1)
    #expect(errors.all.first?.code == NSValidationMultipleErrorsError)
    let context = container.viewContext
    context.performAndWait {
      let error = #expect(throws: NSError.self) {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Player"))
      }
      #expect(error?.localizedDescription.contains("it has 2 errors") == true)
    }
  }

  @Test("Inserting an object of an invalid model stops the program with the errors")
  func insertion() async {
    await #expect(processExitsWith: .failure) {
      let model = SampleStack.makeModel()
      model.entitiesByName["Tag"]?.attributesByName["label"]?.defaultValue = 5
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      context.performAndWait { _ = context.insert("Tag") }
    }
  }

  private final class ErrorBox: @unchecked Sendable {
    private(set) var all: [NSError] = []
    func add(_ error: (any Error)?) { if let error { all.append(error as NSError) } }
  }
}
