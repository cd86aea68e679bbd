/// Keeps the results of a fetch request as sections and rows, up to date with a context, and tells
/// its delegate and observers of every insertion, deletion, move and update.
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
/// `performFetch` is one query. A change of k objects costs O(k log n), whatever the number n of
/// rows; so do `object(at:)` and `indexPath(forObject:)` for one. With a batch size only the IDs
/// and sort values of the rows are in memory, and objects around what is touched.
///
/// A controller belongs to its context's queue. It follows the context while it has a delegate, an
/// observer (`addObserver(_:)`) or a reader of `reports` or `snapshots`; without one it keeps what
/// was fetched. One that comes later is told, with the next change, of all that was missed.
///
/// In a child context, rows that are ordered by an object itself (not by a value of it) which its parent had not
/// saved keep their places when the parent saves it, until they are fetched again.
///
/// Compared to Apple's Core Data: the limit and offset of the request hold while the context
/// changes, changes of objects that a sort key, section key or predicate reaches through a
/// relationship are followed, and mistakes are thrown by `performFetch` rather than raised.
nonisolated open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
  /// The request. After changing it, call `performFetch` again.
  open private(set) var fetchRequest: NSFetchRequest<ResultType>
  /// The context whose objects these are.
  open private(set) var managedObjectContext: NSManagedObjectContext
  /// The key path of the section names; nil for one section.
  open private(set) var sectionNameKeyPath: String?
  /// The name under which the results are kept beyond the program's end; nil for no cache.
  open private(set) var cacheName: String?
  /// Who is told of changes, and in which form: see `NSFetchedResultsControllerDelegate`.
  open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
    didSet { audienceChanged() }
  }

  var results: LiveResults? {
    didSet {
      sectionList = nil
      sectionInfos = [:]
      changeObserver.results = results
    }
  }
  /// The sections as they were asked for last, until rows change.
  var sectionList: [any NSFetchedResultsSectionInfo]?
  /// The sections that were given out, by name, as long as they are there.
  var sectionInfos: [ExactName: FetchedResultsSection] = [:]
  /// A delegate that nobody else holds.
  var heldDelegate: (any NSFetchedResultsControllerDelegate)?
  /// A row that somebody shows at its new place already, while the others are told.
  var shownMove: ShownMove?
  /// Observers and readers; the delegate is not one of them.
  let audience = ReportAudience()
  let changeObserver = ControllerChangeObserver()

  /// Makes a controller; nothing is fetched yet.
  ///
  /// - Parameters:
  ///   - fetchRequest: it needs sort descriptors, and gives objects or their IDs. With an empty list of them, rows
  ///     come in the order of their IDs. With a section key path, the first must group the rows as the section key
  ///     does.
  ///   - managedObjectContext: where the objects are fetched and followed.
  ///   - sectionNameKeyPath: the key path whose values name the sections; it need not be stored.
  ///   - cacheName: where the results are kept beyond the program's end: by name, program and store,
  ///     in the user's folder for caches. They are used where the store's file, the entity, the predicate,
  ///     the order and the section key path are those with which they were read, and read again else.
  ///     Requests with a batch size, a limit or an offset have caches; others read all objects anyway, as do
  ///     section names that are computed.
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

  /// Makes a controller of a request without an entity, in a context of its own, for subclasses that stand in for
  /// controllers in tests. ``performFetch()`` throws.
  public override init() {
    fetchRequest = NSFetchRequest()
    managedObjectContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    super.init()
    observeContext()
  }

  private func observeContext() {
    // A delegate of another controller may release this one while changes are reported.
    changeObserver.onEvent = { [weak self] in self?.receive($0) }
  }

  /// Runs the request; the results are there from here on. May be called again, also after changes of
  /// the request: observers are then told what leads from the old results to the new ones, the
  /// delegate is not; but one that takes snapshots is given one by every fetch, as by Apple's.
  ///
  /// - Throws: `NSCoreDataError` for a request whose sort descriptors are nil, one that gives something
  ///   else than objects or IDs of the controller's type, or one with another mistake, and for a
  ///   section whose rows are not next to each other; the store's errors. The results are then as
  ///   they were.
  open func performFetch() throws {
    try fetch(notifiesDelegate: false)
  }

  /// Runs the request, as `performFetch()` does, and has the delegate told what leads from the old results
  /// to the new ones, if it wishes.
  ///
  /// Compared to Apple's Core Data: new; there a table is loaded anew after the request was changed.
  ///
  /// - Parameter notifiesDelegate: whether the delegate is told as of any other change; not of the first fetch.
  /// - Throws: as `performFetch()`; the results are then as they were.
  public func performFetch(tellingDelegate notifiesDelegate: Bool) throws {
    try fetch(notifiesDelegate: notifiesDelegate)
  }

  /// Removes the caches of a name, of all stores; all of the program's for nil.
  open class func deleteCache(withName name: String?) { CacheFile.remove(name) }

  // MARK: Reading
  // In the class itself, so that subclasses may override them.

  /// All objects in order, or their IDs where the request asks for those; nil before the first fetch.
  ///
  /// O(n), and with a batch size it makes an object of every row.
  open var fetchedObjects: [ResultType]? {
    results.map { results in results.shown.compactMap { result(atRank: $0, in: results) } }
  }

  /// The object of a row.
  ///
  /// A place that does not exist stops the program.
  open func object(at indexPath: IndexPath) -> ResultType { requiredObject(at: indexPath) }

  /// The place of an object; nil when it is no result.
  open func indexPath(forObject object: ResultType) -> IndexPath? { path(of: object) }

  /// The sections; nil before the first fetch. Without a section key path there is one.
  ///
  /// The list is made once for all who ask between two changes.
  open var sections: [any NSFetchedResultsSectionInfo]? { currentSections() }

  /// The index titles of the sections that have one, in order.
  open var sectionIndexTitles: [String] { (sections ?? []).compactMap(\.indexTitle) }

  /// The index title of a section: the capitalised first letter of its name; nil for a section without
  /// a name. Override for another; the delegate's answer goes before this one.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    sectionName.first.map { String($0).uppercased() }
  }

  /// The section of an entry of `sectionIndexTitles`.
  ///
  /// Compared to Apple's Core Data: a title that is not at the index stops the program there; here the
  /// first section with the title is given, or 0 when there is none.
  ///
  /// - Parameters:
  ///   - title: the entry.
  ///   - sectionIndex: its place in `sectionIndexTitles`, which tells sections of the same title apart.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    section(of: title, at: sectionIndex)
  }
}
