import CoreData
import Testing

/// Uses every public member on Apple's pages "NSFetchedResultsController",
/// "NSFetchedResultsControllerDelegate" and "NSFetchedResultsSectionInfo" with its Swift type, and
/// overrides each one that Apple's class lets a subclass override.
@Suite("NSFetchedResultsController has all members that Apple documents")
struct FetchedResultsSurfaceTests {
  @Test("Properties and methods have Apple's types")
  func members() throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Ann"])
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "name",
        cacheName: nil)
      try has(Void.self, controller.performFetch())
      has(NSFetchRequest<NSManagedObject>.self, controller.fetchRequest)
      has(NSManagedObjectContext.self, controller.managedObjectContext)
      has(String?.self, controller.sectionNameKeyPath)
      has(String?.self, controller.cacheName)
      settable(
        \NSFetchedResultsController<NSManagedObject>.delegate,
        (any NSFetchedResultsControllerDelegate)?.self, in: controller)
      has([NSManagedObject]?.self, controller.fetchedObjects)
      has(NSManagedObject.self, controller.object(at: IndexPath(row: 0, section: 0)))
      has(IndexPath?.self, controller.indexPath(forObject: player))
      has([any NSFetchedResultsSectionInfo]?.self, controller.sections)
      has([String].self, controller.sectionIndexTitles)
      has(String?.self, controller.sectionIndexTitle(forSectionName: "a"))
      has(Int.self, controller.section(forSectionIndexTitle: "A", at: 0))
      has(Void.self, NSFetchedResultsController<NSManagedObject>.deleteCache(withName: "no such"))
      let section = try #require(controller.sections?.first)
      has(String.self, section.name)
      has(String?.self, section.indexTitle)
      has(Int.self, section.numberOfObjects)
      has([Any]?.self, section.objects)
      #expect(NSFetchedResultsChangeType.insert.rawValue == 1)
      #expect(NSFetchedResultsChangeType.delete.rawValue == 2)
      #expect(NSFetchedResultsChangeType.move.rawValue == 3)
      #expect(NSFetchedResultsChangeType.update.rawValue == 4)
    }
  }

  @Test("Overrides of a subclass are called by the controller")
  func overrides() throws {
    try SampleStack.withContext { context in
      context.insert("Player", ["name": "Ann"])
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = OverridingController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "name",
        cacheName: nil)
      try controller.performFetch()
      #expect(controller.fetches == 1)
      #expect(
        controller.read == [
          "fetchRequest", "managedObjectContext", "sectionNameKeyPath", "cacheName",
        ])
      #expect(controller.sections?.first?.indexTitle == "<Ann>")
      #expect(controller.sectionIndexTitles == ["<Ann>"])
      controller.delegate = nil
      #expect(controller.delegatesSet == 1)
      let type: NSFetchedResultsController<NSManagedObject>.Type = OverridingController.self
      type.deleteCache(withName: "no such")
      #expect(OverridingController.deletedCaches.value.contains("no such"))
    }
  }
}

private final class OverridingController: NSFetchedResultsController<NSManagedObject> {
  var fetches = 0
  var delegatesSet = 0
  /// The properties that were read.
  var read: Set<String> = []
  static let deletedCaches = Unchecked<[String?]>([])

  override var fetchRequest: NSFetchRequest<NSManagedObject> {
    read.insert("fetchRequest")
    return super.fetchRequest
  }
  override var managedObjectContext: NSManagedObjectContext {
    read.insert("managedObjectContext")
    return super.managedObjectContext
  }
  override var sectionNameKeyPath: String? {
    read.insert("sectionNameKeyPath")
    return super.sectionNameKeyPath
  }
  override var cacheName: String? {
    read.insert("cacheName")
    return super.cacheName
  }
  override weak var delegate: (any NSFetchedResultsControllerDelegate)? {
    didSet { delegatesSet += 1 }
  }

  override class func deleteCache(withName name: String?) {
    deletedCaches.value.append(name)
    super.deleteCache(withName: name)
  }

  override func performFetch() throws {
    fetches += 1
    try super.performFetch()
  }

  override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    "<\(sectionName)>"
  }

  override var sectionIndexTitles: [String] { super.sectionIndexTitles }
  override var fetchedObjects: [NSManagedObject]? { super.fetchedObjects }
  override var sections: [any NSFetchedResultsSectionInfo]? { super.sections }
  override func object(at indexPath: IndexPath) -> NSManagedObject { super.object(at: indexPath) }
  override func indexPath(forObject object: NSManagedObject) -> IndexPath? {
    super.indexPath(forObject: object)
  }
  override func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    super.section(forSectionIndexTitle: title, at: sectionIndex)
  }
}
