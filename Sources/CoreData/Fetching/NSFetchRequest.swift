public import Foundation
public import ObjectModel

/// Which objects of an entity are wanted, in what order and in what form.
///
/// ```swift
/// let request = NSFetchRequest<Person>(entityName: "Person")
/// request.predicate = NSPredicate(format: "age > %d", 30)
/// request.sortDescriptors = [NSSortDescriptor(key: "lastName", ascending: true)]
/// let people = try context.fetch(request)
/// ```
///
/// A request belongs to whoever made it; do not change it while a fetch with it runs.
nonisolated open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
  /// The name of the entity, which is looked up in the model when the request is executed.
  open private(set) var entityName: String?
  private var givenEntity: NSEntityDescription?

  /// The entity; nil for a request made by name until it was executed.
  ///
  /// Compared to Apple's Core Data: reading it before that does not raise.
  open var entity: NSEntityDescription? {
    get { givenEntity }
    set {
      givenEntity = newValue
      entityName = newValue?.name
    }
  }

  /// Which objects; nil means all.
  open var predicate: NSPredicate?
  /// The order of the results. Objects that compare equal come in the order of their IDs.
  open var sortDescriptors: [NSSortDescriptor]?
  /// The greatest number of results; 0 means no limit.
  open var fetchLimit = 0
  /// How many results to leave out at the beginning.
  open var fetchOffset = 0
  /// How many objects' values are read at a time; 0 reads all at once.
  ///
  /// With a batch size a fetch reads keys only; touching an object reads the values of its batch.
  open var fetchBatchSize = 0
  /// The form of the results.
  open var resultType: NSFetchRequestResultType = .managedObjectResultType
  /// Whether objects of subentities are wanted too.
  open var includesSubentities = true
  /// Whether the values of the objects are read with them, rather than when first touched.
  open var includesPropertyValues = true
  /// Whether unsaved changes of the context count.
  open var includesPendingChanges = true
  /// Whether objects come as faults. Their values are in memory either way, unless
  /// `includesPropertyValues` is false.
  open var returnsObjectsAsFaults = true
  /// Relationships whose destinations are read in the same go, one query each: `team`, `tags`,
  /// `players.tags`.
  ///
  /// The members of a to-many relationship at the end of a path become objects when somebody asks for
  /// the relationship, which reads nothing then; how many they are is known without
  /// (`managedMemberCount(_:)`, `value(forKeyPath: "tags.@count")`).
  open var relationshipKeyPathsForPrefetching: [String]?
  /// The properties of dictionary results: names, or descriptions.
  open var propertiesToFetch: [Any]?
  /// Whether equal dictionaries are given once.
  open var returnsDistinctResults = false
  /// The properties by which dictionary results are grouped.
  open var propertiesToGroupBy: [Any]?
  /// Which groups; a variable stands for a column of the result.
  open var havingPredicate: NSPredicate?
  /// Whether objects that are in the context already get the store's present values.
  open var shouldRefreshRefetchedObjects = false

  /// Makes a request without an entity.
  public override init() { super.init() }

  /// Makes a request for an entity by its name.
  public convenience init(entityName: String) {
    self.init()
    self.entityName = entityName
  }

  /// Makes a request that asks for the same, with results of another type.
  ///
  /// Compared to Apple's Core Data: `request as! NSFetchRequest<Person>` is no cast that Swift can do
  /// here; write `NSFetchRequest<Person>(request)`.
  public convenience init<Other>(_ request: NSFetchRequest<Other>) {
    self.init()
    request.copyState(to: self)
  }

  /// Makes a request that asks for the same as one of which nothing is known, with results of another type;
  /// nil for what is no fetch request.
  ///
  /// Compared to Apple's Core Data: `request as? NSFetchRequest<Person>`. It is a copy.
  public convenience init?(casting request: Any?) {
    guard let request = request as? any FetchExecutable else { return nil }
    self.init()
    request.converted(to: request.resultType).copyState(to: self)
  }

  /// Runs the request in the context whose queue the caller is on: inside its `perform` or
  /// `performAndWait`.
  ///
  /// - Throws: as `NSManagedObjectContext.fetch(_:)`; `NSCoreDataError` on no context's queue.
  open func execute() throws -> [ResultType] {
    guard let context = ContextQueue.presentContext else {
      throw CoreDataError.badRequest(
        "execute() of a fetch request was called on no context's queue: call it inside perform or"
          + " performAndWait of a context, or use the context's fetch(_:)")
    }
    return try context.fetch(self)
  }

  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// A request that asks for the same.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchRequest<ResultType>()
    copyState(to: copy)
    return copy
  }

  func copyState<Other: NSFetchRequestResult>(to copy: NSFetchRequest<Other>) {
    copy.affectedStores = affectedStores
    copy.entityName = entityName
    copy.givenEntity = givenEntity
    copy.predicate = predicate
    copy.sortDescriptors = sortDescriptors
    copy.fetchLimit = fetchLimit
    copy.fetchOffset = fetchOffset
    copy.fetchBatchSize = fetchBatchSize
    copy.resultType = resultType
    copy.includesSubentities = includesSubentities
    copy.includesPropertyValues = includesPropertyValues
    copy.includesPendingChanges = includesPendingChanges
    copy.returnsObjectsAsFaults = returnsObjectsAsFaults
    copy.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
    copy.propertiesToFetch = propertiesToFetch
    copy.returnsDistinctResults = returnsDistinctResults
    copy.propertiesToGroupBy = propertiesToGroupBy
    copy.havingPredicate = havingPredicate
    copy.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
  }

  /// Called when the request is executed: a request made by name now has its entity.
  func resolveEntity(_ entity: NSEntityDescription) {
    if givenEntity == nil { givenEntity = entity }
  }
}
