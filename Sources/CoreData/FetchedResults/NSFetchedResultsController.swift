public import Foundation
import Predicates

/// Keeps the results of a fetch request as sections and rows, up to date with a context, and tells
/// its delegate of every insertion, deletion, move and update.
///
/// ```swift
/// let controller = NSFetchedResultsController(
///   fetchRequest: request, managedObjectContext: container.viewContext,
///   sectionNameKeyPath: "team.name", cacheName: nil)
/// controller.delegate = self
/// try controller.performFetch()
/// let player = controller.object(at: IndexPath(row: 0, section: 0))
/// ```
///
/// `performFetch` is one query. A change of k objects costs O(k log n), whatever the number n of
/// rows; so do `object(at:)` and `indexPath(forObject:)` for one. With a batch size only the IDs
/// and sort values of the rows are in memory, and objects around what is touched.
///
/// A controller belongs to its context's queue. It follows the context only while it has a
/// delegate.
///
/// Compared to Apple's Core Data: the limit and offset of the request hold while the context
/// changes, changes of objects that a sort key, section key or predicate reaches through a
/// relationship are followed, and mistakes are thrown by `performFetch` rather than raised.
open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
  /// The request. After changing it, call `performFetch` again.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// The context whose objects these are.
  public let managedObjectContext: NSManagedObjectContext
  /// The key path of the section names; nil for one section.
  public let sectionNameKeyPath: String?
  /// The name under which the results are kept beyond the program's end; nil for no cache.
  public let cacheName: String?
  /// Who is told of changes.
  open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
    didSet { updateObservation() }
  }

  private var results: LiveResults?
  private let observer = ControllerObserver()

  /// Makes a controller; nothing is fetched yet.
  ///
  /// - Parameters:
  ///   - fetchRequest: it needs at least one sort descriptor. With a section key path, the first
  ///     must group the rows as the section key does.
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
    // Another controller's delegate may let go of this one while changes are told.
    observer.changed = { [weak self] in self?.update($0) }
    observer.identified = { [weak self] in self?.updateIdentities($0) }
    observer.saved = { [weak self] in self?.results?.noteVersions($0) }
  }

  /// Runs the request; the results are there from here on. May be called again.
  ///
  /// - Throws: `NSCoreDataError` for a request whose sort descriptors are nil or with another mistake,
  ///   and for a section whose rows are not next to each other; the store's errors.
  open func performFetch() throws {
    let loaded = try liveResults()
    try loaded.load(cacheName: cacheName)
    results = loaded
    updateObservation()
  }

  /// Removes the caches of a name, of all stores; all of the program's for nil.
  open class func deleteCache(withName name: String?) { CacheFile.remove(name) }

  /// The results of the request as it is now, not read yet.
  ///
  /// - Throws: for a mistake in the request.
  func liveResults() throws -> LiveResults {
    guard let layouts = managedObjectContext.layouts else {
      throw managedObjectContext.noCoordinator
    }
    // None at all is a decision: rows then come in the order of their IDs.
    guard fetchRequest.sortDescriptors != nil else {
      throw CoreDataError.badRequest(
        "An instance of NSFetchedResultsController requires a fetch request with sort descriptors")
    }
    let plan = try FetchPlan(fetchRequest, in: layouts)
    let sections = try SectionSource(
      keyPath: sectionNameKeyPath, binder: PredicateBinder(plan.layout))
    return LiveResults(
      plan: plan, sections: sections, context: managedObjectContext,
      batchSize: fetchRequest.fetchBatchSize)
  }

  private func updateObservation() {
    if delegate != nil, results != nil {
      managedObjectContext.observers.add(observer)
    } else {
      managedObjectContext.observers.remove(observer)
    }
  }

  // MARK: Reading

  /// All objects in order; nil before the first fetch.
  ///
  /// O(n), and with a batch size it makes an object of every row.
  open var fetchedObjects: [ResultType]? {
    results.map { results in
      results.shown.compactMap { results.object(atRank: $0).flatMap(result) }
    }
  }

  /// The object of a row.
  ///
  /// A place that does not exist stops the program.
  open func object(at indexPath: IndexPath) -> ResultType {
    guard let results, indexPath.count == 2, indexPath.section >= 0, indexPath.row >= 0,
      indexPath.section < results.sectionCount,
      indexPath.row < results.ranks(ofSection: indexPath.section).count
    else {
      stopProgram(
        "no object at index \(indexPath.map(String.init).joined(separator: ".")) of the fetched"
          + " results\(self.results == nil ? ": performFetch was not called" : "")")
    }
    let rank = results.ranks(ofSection: indexPath.section).lowerBound + indexPath.row
    guard let object = results.object(atRank: rank).flatMap(result) else {
      stopProgram("the fetched results are not of type \(ResultType.self)")
    }
    return object
  }

  /// The place of an object; nil when it is no result.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    guard let object = object as? NSManagedObject, let rank = results?.rank(of: object) else {
      return nil
    }
    return results?.path(ofRank: rank).indexPath
  }

  /// The sections; nil before the first fetch. Without a section key path there is one.
  open var sections: [any NSFetchedResultsSectionInfo]? {
    results.map { results in
      (0..<results.sectionCount).map { sectionInfo($0, results) }
    }
  }

  private func sectionInfo(_ section: Int, _ results: LiveResults) -> SectionInfo {
    let name = results.sectionName(section)
    return SectionInfo(
      name: name, indexTitle: title(ofSection: name), ranks: results.ranks(ofSection: section),
      results: results)
  }

  // MARK: Index titles

  /// The index titles of the sections, in order.
  open var sectionIndexTitles: [String] {
    (sections ?? []).compactMap(\.indexTitle)
  }

  /// The index title of a section: the capitalised first letter of its name. Override for another.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    sectionName.first.map { String($0).uppercased() }
  }

  private func title(ofSection name: String) -> String? {
    delegate?.controller(erased, sectionIndexTitleForSectionName: name)
      ?? sectionIndexTitle(forSectionName: name)
  }

  /// The section of an index title.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    let titles = sectionIndexTitles
    if titles.indices.contains(sectionIndex), titles[sectionIndex] == title { return sectionIndex }
    return titles.firstIndex(of: title) ?? 0
  }

  // MARK: Changes

  /// This controller, as delegates know it: for any kind of result.
  ///
  /// `NSFetchRequestResult` adds nothing to a class reference, so the two types are laid out alike.
  private var erased: NSFetchedResultsController<any NSFetchRequestResult> {
    unsafeBitCast(self, to: NSFetchedResultsController<any NSFetchRequestResult>.self)
  }

  private func result(_ object: NSManagedObject) -> ResultType? {
    if fetchRequest.resultType == .managedObjectIDResultType {
      return object.objectID as? ResultType
    }
    return object as? ResultType
  }

  private func update(_ changes: ObjectChanges) {
    guard let results else { return }
    // What is gone must be named by the sections as they were.
    report { try changes.isIncomplete ? results.reread(changes) : results.apply(changes) }
  }

  private func updateIdentities(_ keys: [(object: NSManagedObject, temporary: Int64)]) {
    guard let results else { return }
    report { try results.identify(keys) }
  }

  private func report(_ change: () throws -> ResultsDelta) {
    let delta: ResultsDelta
    do {
      delta = try change()
    } catch {
      // The store failed while relationships were read; what is shown stays as it was.
      Log.contextNotice(
        "live results of \(fetchRequest.entityName ?? ""): \(error.localizedDescription)")
      return
    }
    guard !delta.isEmpty, let delegate, let results else { return }
    let controller = erased
    delegate.controllerWillChangeContent(controller)
    for section in delta.deletedSections {
      let info = SectionInfo(
        name: section.name, indexTitle: title(ofSection: section.name), ranks: 0..<0,
        results: results)
      delegate.controller(
        controller, didChange: info, atSectionIndex: section.index, for: .delete)
    }
    for section in delta.insertedSections {
      delegate.controller(
        controller, didChange: sectionInfo(section.index, results), atSectionIndex: section.index,
        for: .insert)
    }
    for row in delta.deleted {
      delegate.controller(
        controller, didChange: row.subject.object(in: results), at: row.path.indexPath,
        for: .delete, newIndexPath: nil)
    }
    for row in delta.inserted {
      delegate.controller(
        controller, didChange: row.subject.object(in: results), at: nil, for: .insert,
        newIndexPath: row.path.indexPath)
    }
    for change in delta.moved {
      delegate.controller(
        controller, didChange: change.subject.object(in: results), at: change.old.indexPath,
        for: .move,
        newIndexPath: change.new.indexPath)
    }
    for change in delta.updated {
      delegate.controller(
        controller, didChange: change.subject.object(in: results), at: change.old.indexPath,
        for: .update,
        newIndexPath: change.new.indexPath)
    }
    delegate.controllerDidChangeContent(controller)
  }
}

/// Hears of the context's changes for a controller.
private final class ControllerObserver: ObjectChangeObserver {
  var changed: (ObjectChanges) -> Void = { _ in }
  var identified: ([(object: NSManagedObject, temporary: Int64)]) -> Void = { _ in }
  var saved: (SavedObjects) -> Void = { _ in }

  func contextDidChange(_ changes: ObjectChanges) { changed(changes) }
  func objectsDidGetPermanentIDs(_ keys: [(object: NSManagedObject, temporary: Int64)]) {
    identified(keys)
  }
  func contextDidSave(_ objects: SavedObjects) { saved(objects) }
}

/// One section as a controller gives it out.
private struct SectionInfo: NSFetchedResultsSectionInfo {
  let name: String
  let indexTitle: String?
  let ranks: Range<Int>
  let results: LiveResults

  var numberOfObjects: Int { ranks.count }
  var objects: [Any]? { ranks.compactMap { results.object(atRank: $0) } }
}
