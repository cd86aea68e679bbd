/// A controller with parent objects as sections and their children as rows. A section may be empty.
///
/// ```swift
/// let teams = NSFetchRequest<Team>(entityName: "Team")
/// teams.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
/// let controller = HierarchicalResultsController<Team, Player>(
///   fetchRequest: teams, childRelationship: "players",
///   sortedBy: [NSSortDescriptor(key: "age", ascending: true)], managedObjectContext: context)
/// try controller.performFetch()
/// controller.keepUpdated(tableView)
/// let team = controller.parent(ofSection: 0)
/// let player = controller.object(at: IndexPath(row: 2, section: 0))
/// ```
///
/// With several ``HierarchyLevel``s the children have children too, to any depth. An index path then has one element
/// for each level, and `Child` is a common superclass of the objects on all levels. An object that is a member of
/// several parents has a row in each of them.
///
/// All changes in the context are reported as ``TableUpdates``: unsaved changes, merged saves and batch requests, undo,
/// rollback and `reset`. A report contains the smallest set of deletions, insertions, moves and reloads of sections and
/// rows. The rows of deleted and inserted sections are included. Everything below a moved section or row moves with it.
/// A parent is reloaded if it changed in more than its children. Changes to objects outside the results are not
/// reported.
///
/// All objects of the results are in memory. `performFetch()` executes one query for the parents in each store and a
/// few queries for each level, as for prefetching. On a level with sort descriptors and an inverse relationship, a
/// change of k children costs O(k log n) comparisons and a shift of the children in memory. On any other level it costs
/// O(m log m) for the m children of a changed parent. `object(at:)` and `indexPath(forObject:)` are O(log n).
///
/// Use a controller on its context's queue. Without a delegate, view or observer its results do not change. When one is
/// attached, it immediately receives everything it missed in one report. Changes made during a report are reported
/// afterwards. If the store fails while a change is applied, the error is logged, and the results stay as they were
/// until the next change rereads them.
///
/// Compared to Apple's Core Data: new.
public final class HierarchicalResultsController<Parent: NSManagedObject, Child: NSManagedObject> {
  /// The context of the objects.
  public let managedObjectContext: NSManagedObjectContext
  /// The levels of rows, beginning with the children of the sections.
  public let levels: [HierarchyLevel]
  /// The delegate, which receives changes before the observers.
  public weak var delegate: (any HierarchicalResultsControllerDelegate)? {
    didSet { audienceChanged() }
  }

  private enum Source {
    case request(NSFetchRequest<Parent>)
    case parent(Parent)

    /// A copy that later changes to the request do not affect.
    var copy: Source {
      guard case .request(let request) = self, let copy = request.copy() as? NSFetchRequest<Parent>
      else { return self }
      return .request(copy)
    }
  }

  private let source: Source
  /// The source of the current results; nil before the first fetch.
  private var fetched: Source?
  private(set) var results: HierarchicalResults?
  let changeObserver = HierarchyChangeObserver()
  private(set) var listeners: [HierarchyListener] = []

  private init(_ source: Source, _ levels: [HierarchyLevel], _ context: NSManagedObjectContext) {
    self.source = source
    self.levels = levels
    managedObjectContext = context
    // Weak, because the controller retains the observer.
    changeObserver.onEvent = { [weak self] event in self?.receive(event) }
    changeObserver.onPermanentIDs = { [weak self] in self?.results?.assignPermanentIDs($0) }
    changeObserver.coversEntity = { [weak self] in self?.results?.covers($0) == true }
    changeObserver.onSave = { [weak self] saved in
      if case .results(let results) = self?.results?.roots { results.recordVersions(saved) }
    }
  }

  /// Creates a controller with the results of a request as sections and the members of a relationship as rows.
  ///
  /// It fetches nothing yet. ``performFetch()`` throws an error if an argument is invalid.
  ///
  /// - Parameters:
  ///   - fetchRequest: A request for the parents, with sort descriptors. If the list of sort descriptors is empty, the
  ///     parents are sorted by ID. The request's limit and offset stay in effect when objects change.
  ///   - childRelationship: A to-many relationship of the parents.
  ///   - sortDescriptors: The order of the children; nil for the order of an ordered relationship.
  ///   - managedObjectContext: The context in which the objects are fetched and followed.
  public convenience init(
    fetchRequest: NSFetchRequest<Parent>, childRelationship: String,
    sortedBy sortDescriptors: [NSSortDescriptor]? = nil,
    managedObjectContext: NSManagedObjectContext
  ) {
    self.init(
      fetchRequest: fetchRequest,
      levels: [HierarchyLevel(childRelationship, sortedBy: sortDescriptors)],
      managedObjectContext: managedObjectContext)
  }

  /// Creates a controller whose sections are the results of a request, with several levels of rows.
  ///
  /// - Parameters:
  ///   - fetchRequest: A request for the parents, with sort descriptors. If the list of sort descriptors is empty, the
  ///     parents are sorted by ID.
  ///   - levels: At least one level: the sections' children, their children, and so on.
  ///   - managedObjectContext: The context in which the objects are fetched and followed.
  ///
  /// ```swift
  /// let customers = Customer.fetchRequest()
  /// customers.sortDescriptors = [NSSortDescriptor(key: "lastName", ascending: true)]
  /// let list = HierarchicalResultsController<Customer, Job>(
  ///   fetchRequest: customers, levels: [HierarchyLevel("jobs")], managedObjectContext: context)
  /// try list.performFetch()
  /// ```
  public convenience init(
    fetchRequest: NSFetchRequest<Parent>, levels: [HierarchyLevel],
    managedObjectContext: NSManagedObjectContext
  ) {
    self.init(.request(fetchRequest), levels, managedObjectContext)
  }

  /// Creates a controller with one section for an object of a context. The object's children are the rows.
  ///
  /// If the parent is deleted, the section disappears. It reappears if the deletion is undone.
  ///
  /// - Throws: `NSCoreDataError` if the object is in no context.
  ///
  /// ```swift
  /// let players = try HierarchicalResultsController<Team, Player>(
  ///   parent: team, childRelationship: "players",
  ///   sortedBy: [NSSortDescriptor(key: "age", ascending: true)])
  /// try players.performFetch()
  /// ```
  public convenience init(
    parent: Parent, childRelationship: String, sortedBy sortDescriptors: [NSSortDescriptor]? = nil
  ) throws {
    try self.init(
      parent: parent, levels: [HierarchyLevel(childRelationship, sortedBy: sortDescriptors)])
  }

  /// Creates a controller with one section for an object of a context, and several levels of rows.
  ///
  /// - Throws: `NSCoreDataError` if the object is in no context.
  public convenience init(parent: Parent, levels: [HierarchyLevel]) throws {
    guard let context = parent.unsafeContext else {
      throw CoreDataError.badRequest("\(parent.ownID) must be in a context to be a section")
    }
    self.init(.parent(parent), levels, context)
  }

  /// Fetches and replaces the results. If it is called again, observers and views receive the differences; the delegate
  /// does not.
  ///
  /// - Throws: `NSCoreDataError` if the context has no coordinator, if there is no level, if the request has no sort
  ///   descriptors, is invalid otherwise or does not return objects of the class `Parent`, or if a level is not a to-many
  ///   relationship, has no order, has an invalid sort descriptor or has objects of another class than `Child`; and the
  ///   other errors of the context's `fetch(_:)`. The results then stay as they were.
  public func performFetch() throws {
    let source = source.copy
    let fresh = try fetch(source)
    // A delegate may fetch while it is being notified. The listeners then receive the current report first.
    notifyListeners()
    fetched = source
    replaceResults(by: fresh, notifiesDelegate: false)
    let observers = managedObjectContext.announcing.observers
    if !observers.contains(changeObserver) { observers.add(changeObserver) }
  }

  /// Repeats the last fetch and returns new results.
  func reread() throws -> HierarchicalResults { try fetch(fetched ?? source) }

  private func fetch(_ source: Source) throws -> HierarchicalResults {
    guard let model = managedObjectContext.layouts else { throw managedObjectContext.noCoordinator }
    guard !levels.isEmpty else {
      throw CoreDataError.badRequest(
        "hierarchical results need at least one level below the sections")
    }
    var layout: EntityLayout
    let roots: HierarchicalResults.Roots
    switch source {
    case .request(let request):
      let live = try NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: managedObjectContext, sectionNameKeyPath: nil,
        cacheName: nil
      ).liveResults()
      layout = live.plan.layout
      roots = .results(live)
    case .parent(let parent):
      layout = parent.layout
      roots = .one(parent)
    }
    var bound: [BoundLevel] = []
    for level in levels {
      let next = try BoundLevel(level, of: layout, in: model)
      try requireChildren(next)
      layout = next.destination
      bound.append(next)
    }
    let loaded = HierarchicalResults(roots, levels: bound, context: managedObjectContext)
    try loaded.load()
    return loaded
  }

  /// Checks the class of a level's objects. Otherwise objects of another class would be missing from lists of children,
  /// and accessing one of them would stop the program.
  private func requireChildren(_ level: BoundLevel) throws {
    let other = level.destination.family.first {
      // An abstract entity has no objects.
      !$0.entity.isAbstract && !($0.managedObjectClass is Child.Type)
    }
    guard let other else { return }
    throw CoreDataError.badRequest(
      "An instance of HierarchicalResultsController<\(Parent.self), \(Child.self)> cannot have children"
        + " of entity \(other.name), whose class is \(other.managedObjectClass)")
  }

  /// Replaces the results and reports the differences.
  func replaceResults(by fresh: HierarchicalResults, notifiesDelegate: Bool) {
    let former = results
    results = fresh
    let missed = changeObserver.drainMissedChanges(in: former)
    guard let former, isFollowed else { return }
    deliver(fresh.difference(from: former, changed: missed), notifiesDelegate: notifiesDelegate)
  }

  // MARK: Observers

  /// Calls a closure with each change, on the context's queue, after the delegate.
  ///
  /// - Returns: A token for ``removeObserver(_:)``. The controller retains the observer.
  ///
  /// ```swift
  /// let jobs = try HierarchicalResultsController<Customer, Job>(
  ///   parent: customer, childRelationship: "jobs")
  /// try jobs.performFetch()
  /// let observer = jobs.addObserver { updates in print(updates.insertedRows) }
  /// jobs.removeObserver(observer)
  /// ```
  @discardableResult
  public func addObserver(_ handler: @escaping (TableUpdates) -> Void) -> AnyObject {
    add(HierarchyListener(handler))
  }

  private func add(_ listener: HierarchyListener) -> AnyObject {
    listeners.removeAll(where: \.isEnded)
    listeners.append(listener)
    audienceChanged()
    return listener
  }

  /// Removes an observer or view, given the token that `addObserver` or `keepUpdated` returned.
  public func removeObserver(_ observer: AnyObject) {
    listeners.removeAll { $0 === observer }
  }

  /// Keeps a list view up to date from now on. The controller holds it weakly.
  ///
  /// The view shows sections and rows, so ``levels`` must contain exactly one level. See
  /// ``TableViewUpdating/apply(_:with:moves:)``.
  ///
  /// - Returns: A token for ``removeObserver(_:)``.
  @discardableResult
  public func keepUpdated<View: TableViewUpdating>(
    _ view: View, with animation: View.RowAnimation, moves: TableRowMoves = .deletionsAndInsertions
  ) -> AnyObject {
    add(
      HierarchyListener(for: view) { [weak view] updates in
        view?.apply(updates, with: animation, moves: moves)
      })
  }

  /// Keeps a list view up to date from now on, with the animation ``TableRowAnimation/automatic``.
  @discardableResult
  public func keepUpdated<View: TableViewUpdating>(_ view: View) -> AnyObject
  where View.RowAnimation == TableRowAnimation {
    keepUpdated(view, with: .automatic)
  }
}

/// Receives the changes of a hierarchical results controller, on the context's queue.
///
/// ```swift
/// final class UpdatePrinter: HierarchicalResultsControllerDelegate {
///   func hierarchicalResults<Parent, Child>(
///     _ controller: HierarchicalResultsController<Parent, Child>,
///     didChangeContentWith updates: TableUpdates
///   ) {
///     print(updates.insertedRows, updates.movedSections)
///   }
/// }
/// ```
public protocol HierarchicalResultsControllerDelegate: AnyObject {
  /// Called after the results changed.
  ///
  /// - Parameters:
  ///   - controller: The controller, which already has the new results.
  ///   - updates: The changes. If there are several levels of rows, index paths are longer.
  func hierarchicalResults<Parent, Child>(
    _ controller: HierarchicalResultsController<Parent, Child>,
    didChangeContentWith updates: TableUpdates)
}
