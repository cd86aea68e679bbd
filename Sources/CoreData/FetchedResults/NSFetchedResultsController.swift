/// Keeps the results of a fetch request as sections and rows in sync with a context, and reports every insertion,
/// deletion, move and update to its delegate and observers.
///
/// ```swift
/// let request = NSFetchRequest<Player>(entityName: "Player")
/// request.sortDescriptors = [
///   NSSortDescriptor(key: "team.name", ascending: true), NSSortDescriptor(key: "name", ascending: true),
/// ]
/// let controller = NSFetchedResultsController(
///   fetchRequest: request, managedObjectContext: container.viewContext,
///   sectionNameKeyPath: "team.name", cacheName: nil)
/// try controller.performFetch()
/// controller.keepUpdated(tableView)
/// let player = controller.object(at: IndexPath(row: 0, section: 0))
/// ```
///
/// `performFetch()` executes one query for each store, unless it reads a cache, plus those for prefetched relationships
/// and refreshed objects. Applying changes to k objects costs O(k log n) for n rows; `object(at:)` and
/// `indexPath(forObject:)` cost O(log n). With a batch size, only the IDs and sort values of the rows are in memory,
/// and the objects around the row that was accessed last.
///
/// Use a controller on its context's queue. It follows the context while it has a delegate, an observer
/// (`addObserver(_:)`) or a reader of `reports` or `snapshots`; otherwise its results stay as they were fetched. A
/// delegate or observer that is attached later receives everything it missed with the next change.
///
/// In a child context, rows can be sorted by a related object itself rather than by one of its values. If the parent
/// then saves such an object for the first time, these rows keep their positions until they are fetched again.
///
/// Compared to Apple's Core Data: the limit and offset of the request also apply to changes in the
/// context; the controller follows changes to objects that a sort key, section key or predicate
/// reaches through a relationship; and `performFetch()` throws errors where Apple's Core Data
/// raises exceptions.
nonisolated open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
  /// The fetch request. Call `performFetch()` again after changing it.
  ///
  /// ```swift
  /// controller.fetchRequest.predicate = NSPredicate(format: "age >= 21")
  /// try controller.performFetch()
  /// print(controller.fetchedObjects?.count ?? 0)  // 4
  /// ```
  open private(set) var fetchRequest: NSFetchRequest<ResultType>
  /// The context of the fetched objects.
  open private(set) var managedObjectContext: NSManagedObjectContext
  /// The key path whose values are the sections' names; nil or an empty string for a single section.
  open private(set) var sectionNameKeyPath: String?
  /// The name of the cache that keeps the results after the program ends; nil for no cache.
  open private(set) var cacheName: String?
  /// The delegate, which receives changes in the form that it implements: see `NSFetchedResultsControllerDelegate`.
  open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
    didSet { audienceChanged() }
  }

  var results: LiveResults? {
    didSet {
      sectionList = nil
      // Section objects describe the rows of the results for which they were made.
      sectionInfos = [:]
      changeObserver.results = results
    }
  }
  /// The sections as they were last returned; nil after rows have changed.
  var sectionList: [any NSFetchedResultsSectionInfo]?
  /// The section objects by name, for as long as their sections exist.
  var sectionInfos: [ExactName: FetchedResultsSection] = [:]
  /// A delegate that the controller retains.
  var retainedDelegate: (any NSFetchedResultsControllerDelegate)?
  /// A move that a view shows already and that is about to be reported to the other observers; nil if there is none.
  var shownMove: ShownMove?
  /// The observers and readers, without the delegate.
  let audience = ReportAudience()
  let changeObserver = ControllerChangeObserver()

  /// Creates a controller. It fetches nothing yet.
  ///
  /// - Parameters:
  ///   - fetchRequest: A request for objects or their IDs, with sort descriptors. The objects must be instances of the
  ///     controller's result type; for IDs, it must be `NSManagedObjectID`. A controller of `any NSFetchRequestResult`
  ///     returns both. If the list of sort descriptors is empty, rows are sorted by ID. With a section key path, the
  ///     first sort descriptor must group the rows as the section key does.
  ///   - managedObjectContext: The context in which the objects are fetched and followed.
  ///   - sectionNameKeyPath: The key path whose values are the sections' names. Its property need not be stored.
  ///   - cacheName: The name of a cache, which keeps the results after the program ends. Each program has its own
  ///     caches for each store, in the user's caches folder. A cache is used if the store's file, the entity, the
  ///     predicate, the sort order and the section key path are the same as when it was written; otherwise the
  ///     results are read again. Only requests with a batch size, a limit or an offset have caches, and only if the
  ///     section names are stored; other requests read all objects anyway. The request must not depend on the current
  ///     time or on random numbers. The coordinator must have a single store, in a SQLite file, and the context must
  ///     have no parent and not be pinned to a query generation.
  public init(
    fetchRequest: NSFetchRequest<ResultType>, managedObjectContext: NSManagedObjectContext,
    sectionNameKeyPath: String?, cacheName: String?
  ) {
    self.fetchRequest = fetchRequest
    self.managedObjectContext = managedObjectContext
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
    super.init()
    observeContext()
  }

  /// Creates a controller of a request without an entity, in a new context. It is for subclasses that replace
  /// controllers in tests. ``performFetch()`` throws.
  public override init() {
    fetchRequest = NSFetchRequest()
    managedObjectContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    super.init()
    observeContext()
  }

  private func observeContext() {
    // Weak, because another controller's delegate may release this controller while changes are being reported.
    changeObserver.onEvent = { [weak self] in self?.receive($0) }
  }

  /// Executes the request and replaces the results.
  ///
  /// Call it again after changing the request. Observers then receive the differences between the old and the new
  /// results. The delegate does not, unless it implements the method that receives snapshots: as in Apple's Core
  /// Data, it receives one after every fetch.
  ///
  /// - Throws: `NSCoreDataError` if the context has no coordinator, if the request has no sort descriptors or is
  ///   invalid otherwise, if its results are dictionaries or a count, if the class of its results is not the
  ///   controller's result type or a subclass of it, or if the rows of a section are not contiguous; and the other
  ///   errors of the context's `fetch(_:)`. The results then stay as they were.
  open func performFetch() throws {
    try fetch(notifiesDelegate: false)
  }

  /// Executes the request like `performFetch()`, and optionally reports the differences to the delegate.
  ///
  /// Compared to Apple's Core Data: new; there, apps reload the whole table after changing the request.
  ///
  /// - Parameter notifiesDelegate: Whether to notify the delegate, as for any change. The first
  ///   fetch notifies only a delegate that receives snapshots.
  /// - Throws: The errors of `performFetch()`. The results then stay as they were.
  ///
  /// ```swift
  /// controller.keepUpdated(tableView)
  /// try controller.performFetch()
  /// controller.fetchRequest.predicate = NSPredicate(format: "team.name == 'Red'")
  /// try controller.performFetch(notifyingDelegate: true)  // the view deletes the other rows
  /// ```
  public func performFetch(notifyingDelegate notifiesDelegate: Bool) throws {
    try fetch(notifiesDelegate: notifiesDelegate)
  }

  /// The former name of `performFetch(notifyingDelegate:)`.
  @available(*, deprecated, renamed: "performFetch(notifyingDelegate:)")
  public func performFetch(tellingDelegate notifiesDelegate: Bool) throws {
    try fetch(notifiesDelegate: notifiesDelegate)
  }

  /// Deletes the caches with a name for all stores, or all caches of the program if the name is nil. Errors are logged.
  ///
  /// ```swift
  /// NSFetchedResultsController<Player>.deleteCache(withName: "Players")
  /// ```
  open class func deleteCache(withName name: String?) { CacheFile.remove(name) }

  // The members below are in the class rather than in an extension, so that subclasses can override them.

  /// All results in order, either objects or IDs as the request says; nil before the first fetch.
  ///
  /// O(n). With a batch size, this creates an object for every row, unless the request returns IDs.
  ///
  /// ```swift
  /// try controller.performFetch()
  /// let names = controller.fetchedObjects?.map { $0.name ?? "" }
  /// print(names ?? [])  // ["Eve", "Cara", "Dan", "Ann", "Bob"]
  /// ```
  open var fetchedObjects: [ResultType]? {
    results.map { results in results.shown.compactMap { result(atRank: $0, in: results) } }
  }

  /// Returns the object at an index path. Stops the program if there is none, or if it is not of the result type.
  ///
  /// ```swift
  /// try controller.performFetch()
  /// print(controller.object(at: IndexPath(row: 1, section: 2)).name ?? "")  // Bob
  /// ```
  open func object(at indexPath: IndexPath) -> ResultType { requiredObject(at: indexPath) }

  /// Returns the index path of an object; nil if it is not a result.
  ///
  /// ```swift
  /// try controller.performFetch()
  /// if let path = controller.indexPath(forObject: player) {
  ///   print(path.section, path.row)  // 2 0
  /// }
  /// ```
  open func indexPath(forObject object: ResultType) -> IndexPath? { path(of: object) }

  /// The sections; nil before the first fetch. Without a section key path there is one section.
  ///
  /// The list is computed once after each change.
  ///
  /// ```swift
  /// try controller.performFetch()
  /// for section in controller.sections ?? [] {
  ///   print("\(section.name): \(section.numberOfObjects)")  // ": 1", then "Blue: 2" and "Red: 2"
  /// }
  /// ```
  open var sections: [any NSFetchedResultsSectionInfo]? { currentSections() }

  /// The index titles of the sections that have one, in order.
  ///
  /// ```swift
  /// try controller.performFetch()
  /// print(controller.sectionIndexTitles)  // ["B", "R"]: the players without a team have no title
  /// ```
  open var sectionIndexTitles: [String] { (sections ?? []).compactMap(\.indexTitle) }

  /// Returns the index title of a section: the capitalized first letter of its name, or nil for an empty name.
  /// Override it to return another title. The delegate's title takes precedence.
  ///
  /// ```swift
  /// final class TeamList: NSFetchedResultsController<Player> {
  ///   override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
  ///     sectionName.isEmpty ? "#" : super.sectionIndexTitle(forSectionName: sectionName)
  ///   }
  /// }
  /// ```
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    sectionName.first.map { String($0).uppercased() }
  }

  /// Returns the index of the section for an entry of `sectionIndexTitles`.
  ///
  /// Compared to Apple's Core Data: there a title that is not at the index stops the program; here this returns the
  /// first section with the title, or 0 if there is none.
  ///
  /// - Parameters:
  ///   - title: The entry.
  ///   - sectionIndex: Its index in `sectionIndexTitles`, which distinguishes sections with the same title.
  ///
  /// ```swift
  /// try controller.performFetch()
  /// print(controller.section(forSectionIndexTitle: "R", at: 1))  // 2
  /// ```
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    section(of: title, at: sectionIndex)
  }
}
