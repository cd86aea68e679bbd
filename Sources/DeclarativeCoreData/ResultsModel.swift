import CoreData
import Observation

/// The state behind `FetchedResults` and `SectionedFetchedResults`: a request, the controller of its results, and the
/// observers. Use it on the context's queue.
final class ResultsModel<Result: NSFetchRequestResult>: Observable {
  private let registrar = ObservationRegistrar()
  private let request: NSFetchRequest<Result>
  private let explicitContext: NSManagedObjectContext?
  /// Swift's sort descriptors; empty if `NSSortDescriptor`s were set last.
  private var swiftDescriptors: [SortDescriptor<Result>]
  private var sectionKeyPath: AnyKeyPath?
  /// The section identifier of the current sections.
  private(set) var shownSection: AnyKeyPath?
  private var controller: NSFetchedResultsController<Result>?
  private var observation: FetchedResultsObservation?
  /// Whether the section identifier has changed, which requires a new controller.
  private var needsController = false
  private var error: (any Error)?

  init(
    _ request: NSFetchRequest<Result>, _ swiftDescriptors: [SortDescriptor<Result>] = [],
    section: AnyKeyPath? = nil, context: NSManagedObjectContext?
  ) {
    self.request = NSFetchRequest<Result>(request)
    self.swiftDescriptors = swiftDescriptors
    sectionKeyPath = section
    // The owner may be initialized where a current context is set, and read where none is set.
    explicitContext = context ?? .current
    if !swiftDescriptors.isEmpty {
      self.request.sortDescriptors = swiftDescriptors.map { NSSortDescriptor($0) }
    }
  }

  // MARK: Observed properties

  // Observation needs key paths, so these properties represent the observed parts.
  private var rows: Int { 0 }
  private var configuration: Int { 0 }

  /// The controller with fetched results. Reading it observes changes to the results.
  var current: NSFetchedResultsController<Result>? {
    registrar.access(self, keyPath: \.rows)
    if controller == nil { fetch() }
    return controller
  }

  var fetchError: (any Error)? {
    // Results that were never read are fetched first.
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

  /// Changes the request and fetches before notifying observers, because they read the results immediately.
  private func configure(_ change: () -> Void) {
    change()
    // Results that have never been read are fetched when they are read.
    if controller != nil { fetch() }
    registrar.withMutation(of: self, keyPath: \.configuration) {}
    rowsChanged()
  }

  // MARK: Fetching

  /// Fetches the results. If this fails, the rows do not change.
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
        "no context for the fetched results of \(Result.self): pass one to the fetch request, or read"
          + " the results where NSManagedObjectContext.current is set")
    }
    if request.entityName == nil { request.entity = try context.entity(ofClass: Result.self) }
    let made = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context,
      sectionNameKeyPath: try sectionKeyPath.map(name), cacheName: nil)
    // If the fetch fails, the new controller is kept only if there is no previous one.
    if controller == nil { follow(made) }
    try made.performFetch()
    if controller !== made { follow(made) }
    needsController = false
    error = nil
  }

  private func follow(_ made: NSFetchedResultsController<Result>) {
    controller = made
    shownSection = sectionKeyPath
    // Weak, because the model owns the controller and the observation.
    observation = made.addObserver { [weak self] _ in self?.rowsChanged() }
  }

  private func rowsChanged() {
    // The body is empty, because the rows have changed already: observers may read them
    // immediately.
    registrar.withMutation(of: self, keyPath: \.rows) {}
  }

  private func name(of keyPath: AnyKeyPath) throws -> String {
    if let name = KeyPathNames.name(of: keyPath) { return name }
    throw CoreDataError.badRequest(
      "the section identifier \(keyPath) is not a key path of properties of \(Result.self)")
  }
}
