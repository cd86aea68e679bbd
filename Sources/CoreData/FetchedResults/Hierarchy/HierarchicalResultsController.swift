/// Live results whose sections are objects and whose rows are the objects' children: each parent is a
/// section, and one without children an empty one.
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
/// With several ``HierarchyLevel``s the children have children in turn, to any depth: a place then has a
/// number for each level, and `Child` is a class that all levels have in common. An object that is a member
/// of several parents has a row in each.
///
/// What changes in the context (unsaved changes, merges, other contexts' saves, batch requests that are
/// merged, undo, rollback, `reset`) is told as ``TableUpdates``: sections and rows that are deleted,
/// inserted, moved and updated, as few as can be. The rows of sections that come and go are named, too; what
/// is below a section or row that moves goes with it. A parent is told as updated when something else than
/// its children changed. Objects that are not among the results change nothing.
///
/// All objects of the results are in memory. `performFetch` takes a query for the parents and as few for
/// each level as prefetching does. A change of k children of a level with sort descriptors and an inverse
/// relationship costs O(k log n) comparisons and a shift of the children in memory; in an ordered
/// relationship O(m) for the m children of a parent that changed. `object(at:)` and `indexPath(forObject:)`
/// are O(log n).
///
/// A controller belongs to its context's queue. Its results stay as they are while nobody is told: no
/// delegate, view or observer. Who comes later is told at once, in one report, of what was missed. What is
/// changed while somebody is told is told afterwards. Where the store fails while a change is taken in, the
/// results stay as they were, and are read anew with the next change; the failure is logged.
///
/// Compared to Apple's Core Data: new.
public final class HierarchicalResultsController<Parent: NSManagedObject, Child: NSManagedObject> {
  /// The context whose objects these are.
  public let managedObjectContext: NSManagedObjectContext
  /// How the levels follow from each other, from the sections' children down.
  public let levels: [HierarchyLevel]
  /// Who is told of changes first.
  public weak var delegate: (any HierarchicalResultsControllerDelegate)? {
    didSet { audienceChanged() }
  }

  private enum Source {
    case request(NSFetchRequest<Parent>)
    case parent(Parent)

    /// As it is now, whatever becomes of the request.
    var copy: Source {
      guard case .request(let request) = self, let copy = request.copy() as? NSFetchRequest<Parent>
      else { return self }
      return .request(copy)
    }
  }

  private let source: Source
  /// What the results are of.
  private var fetched: Source?
  private(set) var results: HierarchicalResults?
  let changeObserver = HierarchyChangeObserver()
  private(set) var listeners: [HierarchyListener] = []

  private init(_ source: Source, _ levels: [HierarchyLevel], _ context: NSManagedObjectContext) {
    self.source = source
    self.levels = levels
    managedObjectContext = context
    changeObserver.onEvent = { [weak self] event in self?.receive(event) }
    changeObserver.adopted = { [weak self] in self?.results?.assignPermanentIDs($0) }
    changeObserver.saved = { [weak self] saved in
      if case .results(let results) = self?.results?.roots { results.noteVersions(saved) }
    }
  }

  /// Sections by a request, rows by a relationship of its objects.
  ///
  /// Nothing is fetched yet; mistakes are thrown by ``performFetch()``.
  ///
  /// - Parameters:
  ///   - fetchRequest: the parents, with at least one sort descriptor. Its limit and offset hold.
  ///   - childRelationship: a to-many relationship of the parents.
  ///   - sortDescriptors: the order of the children; nil for that of an ordered relationship.
  ///   - managedObjectContext: where the objects are fetched and followed.
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

  /// Sections by a request, and levels of rows.
  ///
  /// - Parameters:
  ///   - fetchRequest: the parents, with at least one sort descriptor.
  ///   - levels: at least one: the sections' children, these ones' children, and so on.
  ///   - managedObjectContext: where the objects are fetched and followed.
  public convenience init(
    fetchRequest: NSFetchRequest<Parent>, levels: [HierarchyLevel],
    managedObjectContext: NSManagedObjectContext
  ) {
    self.init(.request(fetchRequest), levels, managedObjectContext)
  }

  /// One section, an object of a context, with its children as rows.
  ///
  /// The section goes when the parent is deleted, and is there again when that is undone.
  public convenience init(
    parent: Parent, childRelationship: String, sortedBy sortDescriptors: [NSSortDescriptor]? = nil
  ) throws {
    try self.init(
      parent: parent, levels: [HierarchyLevel(childRelationship, sortedBy: sortDescriptors)])
  }

  /// One section, an object of a context, and levels of rows.
  ///
  /// - Throws: where the object is in no context.
  public convenience init(parent: Parent, levels: [HierarchyLevel]) throws {
    guard let context = parent.managedObjectContext else {
      throw CoreDataError.badRequest("\(parent.objectID) is in no context: it has no live children")
    }
    self.init(.parent(parent), levels, context)
  }

  /// Reads the results; they are there from here on. May be called again: observers and views are told what
  /// that does to the rows; the delegate is not.
  ///
  /// - Throws: `NSCoreDataError` for a request without sort descriptors, a level that is no to-many
  ///   relationship, one without an order, and no level at all; the store's errors. The results are then
  ///   as they were.
  public func performFetch() throws {
    let source = source.copy
    let fresh = try fetch(source)
    // A delegate may fetch again while it is notified.
    notifyListeners()
    fetched = source
    replaceResults(by: fresh, notifiesDelegate: false)
    let observers = managedObjectContext.announcing.observers
    if !observers.contains(changeObserver) { observers.add(changeObserver) }
  }

  /// Repeats the last fetch.
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
      layout = next.destination
      bound.append(next)
    }
    let loaded = HierarchicalResults(roots, levels: bound, context: managedObjectContext)
    try loaded.load()
    return loaded
  }

  /// Takes results in the place of the former ones, and tells what that does to the rows.
  func replaceResults(by fresh: HierarchicalResults, notifiesDelegate: Bool) {
    let former = results
    results = fresh
    let missed = changeObserver.drainMissedChanges(in: former)
    guard let former, isFollowed else { return }
    deliver(fresh.difference(from: former, changed: missed), notifiesDelegate: notifiesDelegate)
  }

  // MARK: Who is told

  /// Tells of each change, after the delegate, on the context's queue.
  ///
  /// - Returns: what ends it when it is given to ``removeObserver(_:)``; the controller keeps the observer.
  @discardableResult
  public func addObserver(_ handler: @escaping (TableUpdates) -> Void) -> AnyObject {
    add(HierarchyListener(handler))
  }

  private func add(_ listener: HierarchyListener) -> AnyObject {
    listeners.removeAll(where: \.isOver)
    listeners.append(listener)
    audienceChanged()
    return listener
  }

  /// Ends what `addObserver` or `keepUpdated` began.
  public func removeObserver(_ observer: AnyObject) {
    listeners.removeAll { $0 === observer }
  }

  /// Keeps a list view up to date from here on; it is held weakly.
  ///
  /// For two levels, sections and rows. See ``TableViewUpdating/apply(_:with:moves:)``.
  ///
  /// - Returns: what ends it when it is given to ``removeObserver(_:)``.
  @discardableResult
  public func keepUpdated<View: TableViewUpdating>(
    _ view: View, with animation: View.RowAnimation, moves: TableRowMoves = .deletionsAndInsertions
  ) -> AnyObject {
    add(
      HierarchyListener(for: view) { [weak view] updates in
        view?.apply(updates, with: animation, moves: moves)
      })
  }

  /// Keeps a list view that chooses its animations up to date from here on.
  @discardableResult
  public func keepUpdated<View: TableViewUpdating>(_ view: View) -> AnyObject
  where View.RowAnimation == TableRowAnimation {
    keepUpdated(view, with: .automatic)
  }
}

/// Is told how hierarchical results change, on the context's queue.
public protocol HierarchicalResultsControllerDelegate: AnyObject {
  /// The results have changed.
  ///
  /// - Parameters:
  ///   - controller: it has the new results already.
  ///   - updates: what leads from the old ones to them. Of deeper levels, places are longer.
  func hierarchicalResults<Parent, Child>(
    _ controller: HierarchicalResultsController<Parent, Child>,
    didChangeContentWith updates: TableUpdates)
}
