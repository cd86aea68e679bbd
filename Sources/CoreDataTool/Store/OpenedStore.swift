import CoreData

/// A store, the model it is read with, and a context to work in.
struct OpenedStore {
  let path: String
  let model: NSManagedObjectModel
  let source: ModelSource
  let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext

  /// Opens a store that exists.
  ///
  /// Without a named model the store's own copy is taken, and where it has none, one inferred from
  /// its tables.
  static func open(_ path: String, model named: String?, readOnly: Bool) throws -> OpenedStore {
    try requireFile(path)
    let url = URL(fileURLWithPath: path)
    return try reportingStoreErrors {
      let (model, source) = try chooseModel(url, named: named)
      var options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: NSNumber(value: 10)]
      if readOnly { options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true) }
      // Who writes to a store with a history goes on with it.
      if !readOnly, try NSPersistentStoreCoordinator.hasHistory(storeAt: url) {
        options[NSPersistentHistoryTrackingKey] = NSNumber(value: true)
      }
      if source == .inferred {
        options[NSIgnorePersistentStoreVersioningOption] = NSNumber(value: true)
      }
      return try OpenedStore(url, path, model, source, options)
    }
  }

  /// Makes a new store.
  static func create(_ path: String, model: NSManagedObjectModel) throws -> OpenedStore {
    try reportingStoreErrors {
      try OpenedStore(URL(fileURLWithPath: path), path, model, .builtIn, nil)
    }
  }

  private init(
    _ url: URL, _ path: String, _ model: NSManagedObjectModel, _ source: ModelSource,
    _ options: [AnyHashable: Any]?
  ) throws {
    self.path = path
    self.model = model
    self.source = source
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  /// Runs a block with the context, on its queue.
  func perform<Result>(_ body: (NSManagedObjectContext) throws -> Result) rethrows -> Result {
    let console = Console.current
    return try context.performAndWait {
      // The queue may run the block on another thread, where task-local values are not known.
      try Console.$current.withValue(console) { try body(context) }
    }
  }

  /// Closes the file, and takes away what SQLite made beside it for reading.
  func close() {
    for store in coordinator.persistentStores {
      do {
        try coordinator.remove(store)
      } catch {
        Console.current.note("note: \(path) was not closed: \(error.localizedDescription)\n")
      }
    }
  }

  /// Tells which model is used, beside the output.
  func noteModel() {
    Console.current.note("model: \(source.text.onOneLine)\n")
  }

  /// The entity of a name.
  func entity(named name: String) throws(Diagnostic) -> NSEntityDescription {
    guard let entity = model.entitiesByName[name] else {
      throw Diagnostic.unknownEntity(name, among: Array(model.entitiesByName.keys))
    }
    return entity
  }

  static func requireFile(_ path: String) throws(Diagnostic) {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw Diagnostic.noSuchFile(path)
    }
    if isDirectory.boolValue { throw Diagnostic.isDirectory(path) }
  }

  static func chooseModel(
    _ url: URL, named: String?
  ) throws -> (NSManagedObjectModel, ModelSource) {
    if let named {
      // A store that is none shall be told as such, whatever the model.
      _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: url)
      do {
        return (try NSManagedObjectModel(validating: URL(fileURLWithPath: named)), .named(named))
      } catch {
        throw Diagnostic(.data, error.localizedDescription.withoutFullStop)
      }
    }
    if let cached = try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url) {
      return (cached, .cached)
    }
    return (try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url), .inferred)
  }
}
