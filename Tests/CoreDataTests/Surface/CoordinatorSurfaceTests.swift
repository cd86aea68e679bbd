import CoreData
import Testing

/// Uses every public member on Apple's pages "NSPersistentStoreCoordinator",
/// "NSPersistentContainer" and "NSPersistentStoreDescription" with its Swift type, and overrides members in subclasses.
@Suite("Coordinators and containers have all members that Apple documents")
struct CoordinatorSurfaceTests {
  @Test("NSPersistentStoreCoordinator")
  func coordinator() async throws {
    let folder = try TemporaryFolder()
    let (one, two) = (folder.file("one.sqlite"), folder.file("two.sqlite"))
    let coordinator = RecordingCoordinator(managedObjectModel: SampleStack.makeModel())
    has(NSManagedObjectModel.self, coordinator.managedObjectModel)
    settable(\NSPersistentStoreCoordinator.name, String?.self, in: coordinator)
    has([NSPersistentStore].self, coordinator.persistentStores)
    has([String: AnyClass].self, NSPersistentStoreCoordinator.registeredStoreTypes)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: one, options: nil)
    let other = try coordinator.addPersistentStore(type: .sqlite, at: two)
    has(NSPersistentStore?.self, coordinator.persistentStore(for: one))
    has(URL.self, coordinator.url(for: store))
    has(Bool.self, coordinator.setURL(one, for: store))
    has([String: Any].self, coordinator.metadata(for: store))
    has(Void.self, coordinator.setMetadata(["k": "v"], for: store))
    has(
      NSManagedObjectID?.self,
      coordinator.managedObjectID(forURIRepresentation: URL(fileURLWithPath: "/")))
    let text = "x-coredata://\(store.identifier ?? "")/Team/p7"
    #expect(
      coordinator.managedObjectID(for: text)?.uriRepresentation().absoluteString == text)
    #expect(coordinator.managedObjectID(for: "") == nil)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Team")
    try context.performAndWait { try has(Any.self, coordinator.execute(request, with: context)) }
    try has(Void.self, coordinator.remove(other))
    try has(
      [String: Any].self,
      NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: two, options: nil))
    try has(
      [String: Any].self,
      NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: two))
    try NSPersistentStoreCoordinator.setMetadata(
      ["k": 1], forPersistentStoreOfType: NSSQLiteStoreType, at: two, options: nil)
    try NSPersistentStoreCoordinator.setMetadata(["k": 1], type: .sqlite, at: two)
    try has(
      NSManagedObjectModel.self,
      NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: two))
    try coordinator.replacePersistentStore(
      at: two, destinationOptions: nil, withPersistentStoreFrom: one, sourceOptions: nil,
      ofType: NSSQLiteStoreType)
    try coordinator.replacePersistentStore(at: two, withPersistentStoreFrom: one, type: .sqlite)
    try coordinator.destroyPersistentStore(at: two, ofType: NSSQLiteStoreType, options: nil)
    let moved = try coordinator.migratePersistentStore(
      store, to: two, options: nil, withType: NSSQLiteStoreType)
    has(NSPersistentStore.self, moved)
    func performLater() { coordinator.perform {} }
    performLater()
    let five: Int = coordinator.performAndWait { 5 }
    let six: Int = await coordinator.perform { 6 }
    #expect(five == 5 && six == 6)
    #expect(
      coordinator.calls == [
        "add", "add", "execute", "replace", "replace", "destroy", "migrate", "perform",
        "performAndWait", "perform",
      ])
    NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "None")
    NSPersistentStoreCoordinator.registerStoreClass(nil, type: .init(rawValue: "None"))
    #expect(NSPersistentStore.StoreType.sqlite.rawValue == NSSQLiteStoreType)
  }

  @Test("NSPersistentContainer")
  func container() async throws {
    let container = OwnContainer(name: "Own", managedObjectModel: SampleStack.makeModel())
    has(String.self, container.name)
    has(NSManagedObjectContext.self, container.viewContext)
    has(NSManagedObjectModel.self, container.managedObjectModel)
    has(NSPersistentStoreCoordinator.self, container.persistentStoreCoordinator)
    settable(
      \NSPersistentContainer.persistentStoreDescriptions, [NSPersistentStoreDescription].self,
      in: container)
    has(URL.self, NSPersistentContainer.defaultDirectoryURL())
    // Source: Apple's page for NSPersistentContainer. There is one description, for SQLite, in a
    // directory that a subclass can choose.
    let description = try #require(container.persistentStoreDescriptions.first)
    #expect(container.persistentStoreDescriptions.count == 1)
    #expect(description.url == OwnContainer.folder.appendingPathComponent("Own.sqlite"))
    #expect(description.type == NSSQLiteStoreType)
    #expect(description.shouldMigrateStoreAutomatically)
    #expect(description.shouldInferMappingModelAutomatically)
    #expect(!description.shouldAddStoreAsynchronously && !description.isReadOnly)
    description.url = URL(fileURLWithPath: "/dev/null")
    nonisolated(unsafe) var calls = 0
    container.loadPersistentStores { _, error in
      #expect(error == nil)
      calls += 1
    }
    // The stores load synchronously on the caller's thread.
    #expect(calls == 1)
    #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
    #expect(!container.viewContext.automaticallyMergesChangesFromParent)
    #expect(container.viewContext.queryGenerationToken == nil)
    let background = container.newBackgroundContext()
    #expect(background.concurrencyType == .privateQueueConcurrencyType)
    let count = try await container.performBackgroundTask { context in
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Team"))
    }
    let three = await container.performBackgroundTask { _ in 3 }
    #expect(count == 0 && three == 3)
    await withCheckedContinuation { continuation in
      container.performBackgroundTask { context in
        #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
        #expect(context.parent == nil && context.concurrencyType == .privateQueueConcurrencyType)
        continuation.resume()
      }
    }
    #expect(container.contextsMade == 4)
  }

  @Test("NSPersistentStoreDescription")
  func description() {
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/tmp/a.sqlite"))
    has(NSPersistentStoreDescription.self, NSPersistentStoreDescription())
    settable(\NSPersistentStoreDescription.type, String.self, in: description)
    settable(\NSPersistentStoreDescription.configuration, String?.self, in: description)
    settable(\NSPersistentStoreDescription.url, URL?.self, in: description)
    settable(\NSPersistentStoreDescription.isReadOnly, Bool.self, in: description)
    settable(\NSPersistentStoreDescription.timeout, TimeInterval.self, in: description)
    settable(
      \NSPersistentStoreDescription.shouldAddStoreAsynchronously, Bool.self, in: description)
    settable(
      \NSPersistentStoreDescription.shouldMigrateStoreAutomatically, Bool.self, in: description)
    settable(
      \NSPersistentStoreDescription.shouldInferMappingModelAutomatically, Bool.self,
      in: description)
    description.setOption(true as NSNumber, forKey: "own")
    description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
    has([String: NSObject].self, description.options)
    has([String: NSObject].self, description.sqlitePragmas)
    #expect(description.options["own"] == true as NSNumber)
    #expect(description.sqlitePragmas == ["journal_mode": "DELETE" as NSString])
    let copy = description.copy() as? NSPersistentStoreDescription
    #expect(copy?.options == description.options && copy?.url == description.url)
    // Source: the tests of CoreDataPlus.
    #expect(NSPersistentStoreDescription().url?.path == "/dev/null")
    #expect(NSPersistentStoreDescription().type == NSSQLiteStoreType)
  }
}

private final class RecordingCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
  private(set) var calls: [String] = []

  override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
  override func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    calls.append("add")
    return try super.addPersistentStore(
      ofType: storeType, configurationName: configuration, at: storeURL, options: options)
  }
  override func addPersistentStore(
    with description: NSPersistentStoreDescription,
    completionHandler block:
      @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    super.addPersistentStore(with: description, completionHandler: block)
  }
  override func remove(_ store: NSPersistentStore) throws { try super.remove(store) }
  override func persistentStore(for URL: URL) -> NSPersistentStore? {
    super.persistentStore(for: URL)
  }
  override func url(for store: NSPersistentStore) -> URL { super.url(for: store) }
  override func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    super.setURL(url, for: store)
  }
  override func metadata(for store: NSPersistentStore) -> [String: Any] {
    super.metadata(for: store)
  }
  override func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    super.setMetadata(metadata, for: store)
  }
  override func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    super.managedObjectID(forURIRepresentation: url)
  }
  override func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
  ) throws -> Any {
    calls.append("execute")
    return try super.execute(request, with: context)
  }
  override func migratePersistentStore(
    _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]?,
    withType storeType: String
  ) throws -> NSPersistentStore {
    calls.append("migrate")
    return try super.migratePersistentStore(store, to: URL, options: options, withType: storeType)
  }
  override func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]?
  ) throws {
    calls.append("destroy")
    try super.destroyPersistentStore(at: url, ofType: storeType, options: options)
  }
  override func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]?,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]?,
    ofType storeType: String
  ) throws {
    calls.append("replace")
    try super.replacePersistentStore(
      at: destinationURL, destinationOptions: destinationOptions,
      withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions, ofType: storeType)
  }
  override func perform(_ block: @escaping @Sendable () -> Void) {
    calls.append("perform")
    super.perform(block)
  }
  override func performAndWait(_ block: () -> Void) {
    calls.append("performAndWait")
    super.performAndWait(block)
  }
  override class func registerStoreClass(
    _ storeClass: AnyClass?, forStoreType storeType: String
  ) {
    super.registerStoreClass(storeClass, forStoreType: storeType)
  }
  override class var registeredStoreTypes: [String: AnyClass] { super.registeredStoreTypes }
  override class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]?
  ) throws -> [String: Any] {
    try super.metadataForPersistentStore(ofType: storeType, at: url, options: options)
  }
  override class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]?
  ) throws {
    try super.setMetadata(
      metadata, forPersistentStoreOfType: storeType, at: url, options: options)
  }
}

private final class OwnContainer: NSPersistentContainer, @unchecked Sendable {
  static let folder = URL(fileURLWithPath: "/tmp/own-container", isDirectory: true)
  private(set) var contextsMade = 0

  override class func defaultDirectoryURL() -> URL { folder }
  override var name: String { super.name }
  override var viewContext: NSManagedObjectContext { super.viewContext }
  override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
  override var persistentStoreCoordinator: NSPersistentStoreCoordinator {
    super.persistentStoreCoordinator
  }
  override func loadPersistentStores(
    completionHandler block:
      @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    super.loadPersistentStores(completionHandler: block)
  }
  override func newBackgroundContext() -> NSManagedObjectContext {
    contextsMade += 1
    return super.newBackgroundContext()
  }
  override func performBackgroundTask(
    _ block: @escaping @Sendable (NSManagedObjectContext) -> Void
  ) {
    super.performBackgroundTask(block)
  }
}
