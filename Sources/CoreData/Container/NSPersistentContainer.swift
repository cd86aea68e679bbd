// Not `nonisolated`, unlike most classes that programs subclass: a subclass of a `nonisolated`
// and `Sendable` class cannot have a `lazy` property.

/// A model, a coordinator with its stores, and a context of the main queue: the Core Data stack of a program.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Contacts")
/// container.loadPersistentStores { description, error in
///   if let error { print("cannot open \(description.url!): \(error.localizedDescription)") }
/// }
/// let people = try container.viewContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
/// ```
open class NSPersistentContainer: NSObject, @unchecked Sendable {
  /// The name of the model and of the store file.
  open var name: String { explicitName }
  /// The model.
  open var managedObjectModel: NSManagedObjectModel { ownCoordinator.managedObjectModel }
  /// The coordinator of the container's stores and contexts.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator { ownCoordinator }
  /// A context of the main queue.
  open var viewContext: NSManagedObjectContext { ownViewContext }
  private let explicitName: String
  private let ownCoordinator: NSPersistentStoreCoordinator
  private let ownViewContext: NSManagedObjectContext
  /// The descriptions of the stores to open. Change them before calling `loadPersistentStores`.
  ///
  /// ```swift
  /// let description = NSPersistentStoreDescription(url: url)
  /// description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
  /// container.persistentStoreDescriptions = [description]
  /// ```
  open var persistentStoreDescriptions: [NSPersistentStoreDescription]

  /// Returns the default folder of stores, which has the program's name and is in the user's application support
  /// directory: on Linux `$XDG_DATA_HOME`, or `~/.local/share` if the variable is not set.
  ///
  /// ```swift
  /// final class ServerContainer: NSPersistentContainer, @unchecked Sendable {
  ///   override class func defaultDirectoryURL() -> URL {
  ///     URL(fileURLWithPath: "/var/lib/contacts", isDirectory: true)
  ///   }
  /// }
  /// ```
  open class func defaultDirectoryURL() -> URL {
    let manager = FileManager.default
    let support =
      manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
    return support.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
  }

  /// Creates a container with the model that has the same name in the program's resources (`<name>.momd`, `.mom`,
  /// `.xcdatamodeld` or `.xcdatamodel`).
  ///
  /// If there is no such model or it cannot be read, logs an error, and the container has a model without entities.
  public convenience init(name: String) {
    self.init(name: name, managedObjectModel: Self.model(named: name) ?? NSManagedObjectModel())
  }

  private static func model(named name: String) -> NSManagedObjectModel? {
    guard let url = ModelResources.url(named: name) else {
      Log.modelError(
        "no model with the name \(name) is among the program's resources: the container has no"
          + " entities")
      return nil
    }
    do { return try NSManagedObjectModel(validating: url) } catch {
      Log.modelError("the model \(url.path) cannot be read: \(error.localizedDescription)")
      return nil
    }
  }

  /// Creates a container with a model.
  ///
  /// ```swift
  /// let model = try NSManagedObjectModel(validating: URL(fileURLWithPath: "Contacts.xcdatamodeld"))
  /// let container = NSPersistentContainer(name: "Contacts", managedObjectModel: model)
  /// ```
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    explicitName = name
    ownCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    ownViewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    ownViewContext.persistentStoreCoordinator = ownCoordinator
    ownViewContext.name = "viewContext"
    persistentStoreDescriptions = [
      NSPersistentStoreDescription(
        url: Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite"))
    ]
    super.init()
  }

  /// Creates a container without a name, entities or stores.
  public override convenience init() {
    self.init(name: "", managedObjectModel: NSManagedObjectModel())
    persistentStoreDescriptions = []
  }

  /// Opens the described stores in order, and calls the completion handler once for each of them. The handler is
  /// called on the calling thread before this method returns, except for stores that are added asynchronously.
  ///
  /// A later call skips stores that are already open, tries again to open those that failed, and opens those that were
  /// removed from the coordinator.
  /// The default folder is created if it is missing.
  ///
  /// ```swift
  /// func open(_ container: NSPersistentContainer) throws {
  ///   var failure: (any Error)?
  ///   container.loadPersistentStores { _, error in failure = failure ?? error }
  ///   if let failure { throw failure }
  /// }
  /// ```
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions where !isLoaded(description) {
      makeDefaultFolder(for: description)
      persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
    }
  }

  private func isLoaded(_ description: NSPersistentStoreDescription) -> Bool {
    if let url = description.url, description.type != NSInMemoryStoreType,
      !StoreLocation(url).isNameless
    {
      return persistentStoreCoordinator.persistentStore(for: url) != nil
    }
    // A store without a file is identified by its description.
    return persistentStoreCoordinator.persistentStores.contains {
      $0.openedDescription === description
    }
  }

  private func makeDefaultFolder(for description: NSPersistentStoreDescription) {
    guard let folder = description.url?.deletingLastPathComponent(),
      folder.standardizedFileURL == Self.defaultDirectoryURL().standardizedFileURL
    else { return }
    // If this fails, opening the store fails, too, and reports the error.
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Returns a new context with a private queue.
  ///
  /// ```swift
  /// let background = container.newBackgroundContext()
  /// background.name = "importer"
  /// background.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
  /// ```
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }

  /// Runs a block with a new background context, on the context's queue.
  ///
  /// ```swift
  /// func deleteAllJobs() {
  ///   container.performBackgroundTask { context in
  ///     do {
  ///       for job in try context.fetch(Job.fetchRequest()) { context.delete(job) }
  ///       try context.save()
  ///     } catch {
  ///       print(error.localizedDescription)
  ///     }
  ///   }
  /// }
  /// ```
  @preconcurrency
  open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }

  /// Runs a block with a new background context, on the context's queue, and returns the block's result.
  ///
  /// Rethrows the error of the block. A call whose block does not throw needs no `try`.
  ///
  /// ```swift
  /// let count = try await container.performBackgroundTask { context in
  ///   try context.count(for: Person.fetchRequest())
  /// }
  /// ```
  public func performBackgroundTask<T, Failure: Error>(
    _ block: sending @escaping (NSManagedObjectContext) throws(Failure) -> T
  ) async throws(Failure) -> T {
    let context = newBackgroundContext()
    return try await context.perform(.enqueued, endsReads: false) { () throws(Failure) -> T in
      try block(context)
    }
  }
}

/// Finds models among a program's resources.
enum ModelResources {
  private static let kinds = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

  /// Returns the URL of the model with a name in the main bundle, or in a resource bundle next to the program.
  static func url(named name: String) -> URL? {
    for kind in kinds {
      if let url = Bundle.main.url(forResource: name, withExtension: kind) { return url }
    }
    // SwiftPM puts the resources of each target into a bundle beside the program, which
    // `Bundle.main` does not search.
    for folder in ProgramResources.folders {
      for kind in kinds {
        let url = folder.appendingPathComponent("\(name).\(kind)")
        if FileManager.default.fileExists(atPath: url.path) { return url }
      }
    }
    return nil
  }
}
