import CoreData
import Observation

/// A request, the controller that follows its results, and who observes them: what `FetchedResults` and
/// `SectionedFetchedResults` show. On the context's queue.
final class ResultsModel<Result: NSFetchRequestResult>: Observable {
  private let registrar = ObservationRegistrar()
  private let request: NSFetchRequest<Result>
  private let explicitContext: NSManagedObjectContext?
  /// Swift's sort descriptors, where those were set last.
  private var swiftDescriptors: [SortDescriptor<Result>]
  private var sectionKeyPath: AnyKeyPath?
  /// The section identifier by which the present rows were cut.
  private(set) var shownSection: AnyKeyPath?
  private var controller: NSFetchedResultsController<Result>?
  private var observation: FetchedResultsObservation?
  /// Whether the section identifier is another one than the controller's, which it is a part of.
  private var needsController = false
  private var error: (any Error)?

  init(
    _ request: NSFetchRequest<Result>, _ swiftDescriptors: [SortDescriptor<Result>] = [],
    section: AnyKeyPath? = nil, context: NSManagedObjectContext?
  ) {
    self.request = NSFetchRequest<Result>(request)
    self.swiftDescriptors = swiftDescriptors
    sectionKeyPath = section
    // The wrapper's owner may be made where the context is current, and be read elsewhere.
    explicitContext = context ?? .current
    if !swiftDescriptors.isEmpty {
      self.request.sortDescriptors = swiftDescriptors.map { NSSortDescriptor($0) }
    }
  }

  // MARK: Observed

  /// What key paths of observed parts lead to.
  private var rows: Int { 0 }
  private var configuration: Int { 0 }

  /// The controller, its results fetched; the caller is told of changes of them.
  var current: NSFetchedResultsController<Result>? {
    registrar.access(self, keyPath: \.rows)
    if controller == nil { fetch() }
    return controller
  }

  var fetchError: (any Error)? {
    _ = current
    return error
  }

  var predicate: NSPredicate? {
    get { configured { request.predicate } }
    set { configure { request.predicate = newValue } }
  }

  var nsSortDescriptors: [NSSortDescriptor] {
    get { configured { request.sortDescriptors ?? [] } }
    set {
      configure {
        request.sortDescriptors = newValue
        swiftDescriptors = []
      }
    }
  }

  var sortDescriptors: [SortDescriptor<Result>] {
    get { configured { swiftDescriptors } }
    set {
      configure {
        request.sortDescriptors = newValue.map { NSSortDescriptor($0) }
        swiftDescriptors = newValue
      }
    }
  }

  var section: AnyKeyPath? {
    get { configured { sectionKeyPath } }
    set {
      configure {
        sectionKeyPath = newValue
        needsController = true
      }
    }
  }

  private func configured<Value>(_ read: () -> Value) -> Value {
    registrar.access(self, keyPath: \.configuration)
    return read()
  }

  /// Who observes is told at once, and reads anew: so all is as it will be by then.
  private func configure(_ change: () -> Void) {
    change()
    // What was never read is fetched when it is.
    if controller != nil { fetch() }
    registrar.withMutation(of: self, keyPath: \.configuration) {}
    rowsChanged()
  }

  // MARK: Fetching

  /// The rows stay as they were where a request has a mistake.
  private func fetch() {
    do {
      guard let controller, !needsController else { return try fetchWithNewController() }
      try controller.performFetch()
      error = nil
    } catch {
      self.error = error
      Log.contextNotice(
        "fetched results of \(request.entityName ?? ""): \(error.localizedDescription)")
    }
  }

  private func fetchWithNewController() throws {
    guard let context = explicitContext ?? .current ?? .present else {
      throw CoreDataError.badRequest(
        "fetched results of \(Result.self) are read and no context is named: give one to the fetch"
          + " request, or read them where NSManagedObjectContext.current is set")
    }
    if request.entityName == nil { request.entity = try context.entity(ofClass: Result.self) }
    let made = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context,
      sectionNameKeyPath: try sectionKeyPath.map(name), cacheName: nil)
    // One whose fetch fails is kept only where there were no rows before.
    if controller == nil { follow(made) }
    try made.performFetch()
    if controller !== made { follow(made) }
    needsController = false
    error = nil
  }

  private func follow(_ made: NSFetchedResultsController<Result>) {
    controller = made
    shownSection = sectionKeyPath
    observation = made.addObserver { [weak self] _ in self?.rowsChanged() }
  }

  private func rowsChanged() {
    registrar.withMutation(of: self, keyPath: \.rows) {}
  }

  private func name(of keyPath: AnyKeyPath) throws -> String {
    if let name = KeyPathNames.name(of: keyPath) { return name }
    throw CoreDataError.badRequest(
      "the section identifier \(keyPath) is no path from property to property of \(Result.self)")
  }
}
