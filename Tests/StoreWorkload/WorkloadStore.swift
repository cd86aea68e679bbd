import CoreData

/// An open store of the workload's model, with a context.
struct WorkloadStore {
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext

  /// - Parameter model: The model to which the store is migrated if it has another one.
  init(
    _ url: URL, _ options: [AnyHashable: Any] = [:],
    model: NSManagedObjectModel = WorkloadModel.model, type: String = NSSQLiteStoreType
  ) throws {
    var options = options
    options[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: true)
    options[NSInferMappingModelAutomaticallyOption] = NSNumber(value: true)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: url, options: options)
    context = Self.context(coordinator)
  }

  private static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext
  {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  func newContext() -> NSManagedObjectContext { Self.context(coordinator) }

  func close() throws {
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  /// Returns the options for a store with a journal mode. `wal` is the library's default.
  static func options(journal: String) -> [AnyHashable: Any] {
    journal == "wal" ? [:] : [NSSQLitePragmasOption: ["journal_mode": journal]]
  }
}

extension NSManagedObjectContext {
  @discardableResult
  func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  func all(_ entity: String, _ format: String? = nil, _ arguments: [Any] = []) throws
    -> [NSManagedObject]
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = try format.map { try NSPredicate(validating: $0, arguments: arguments) }
    return try fetch(request)
  }
}
