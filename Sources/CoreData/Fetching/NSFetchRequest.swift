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
  /// What it asks for; a request that was cast to another type has the same.
  private(set) var state = SharedRequestState(FetchRequestState())

  /// The name of the entity, which is looked up in the model when the request is executed.
  open var entityName: String? { state.value.entityName }

  /// The entity; nil for a request made by name until it was executed.
  ///
  /// Compared to Apple's Core Data: reading it before that does not raise.
  open var entity: NSEntityDescription? {
    get { state.value.entity }
    set {
      state.value.entity = newValue
      state.value.entityName = newValue?.name
    }
  }

  open override var affectedStores: [NSPersistentStore]? {
    get { state.value.affectedStores }
    set { state.value.affectedStores = newValue }
  }

  /// Which objects; nil means all.
  open var predicate: NSPredicate? {
    get { state.value.predicate }
    set { state.value.predicate = newValue }
  }

  /// The order of the results. Objects that compare equal come in the order of their IDs.
  open var sortDescriptors: [NSSortDescriptor]? {
    get { state.value.sortDescriptors }
    set { state.value.sortDescriptors = newValue }
  }

  /// The greatest number of results; 0 means no limit.
  open var fetchLimit: Int {
    get { state.value.fetchLimit }
    set { state.value.fetchLimit = newValue }
  }

  /// How many results to leave out at the beginning.
  open var fetchOffset: Int {
    get { state.value.fetchOffset }
    set { state.value.fetchOffset = newValue }
  }

  /// How many objects' values are read at a time; 0 reads all at once.
  ///
  /// With a batch size a fetch reads keys only; touching an object reads the values of its batch.
  open var fetchBatchSize: Int {
    get { state.value.fetchBatchSize }
    set { state.value.fetchBatchSize = newValue }
  }

  /// The form of the results.
  open var resultType: NSFetchRequestResultType {
    get { state.value.resultType }
    set { state.value.resultType = newValue }
  }

  /// Whether objects of subentities are wanted too.
  open var includesSubentities: Bool {
    get { state.value.includesSubentities }
    set { state.value.includesSubentities = newValue }
  }

  /// Whether the values of the objects are read with them, rather than when first touched.
  open var includesPropertyValues: Bool {
    get { state.value.includesPropertyValues }
    set { state.value.includesPropertyValues = newValue }
  }

  /// Whether unsaved changes of the context count.
  open var includesPendingChanges: Bool {
    get { state.value.includesPendingChanges }
    set { state.value.includesPendingChanges = newValue }
  }

  /// Whether objects come as faults. Their values are in memory either way, unless
  /// `includesPropertyValues` is false.
  open var returnsObjectsAsFaults: Bool {
    get { state.value.returnsObjectsAsFaults }
    set { state.value.returnsObjectsAsFaults = newValue }
  }

  /// Relationships whose destinations are read in the same go, one query each: `team`, `tags`,
  /// `players.tags`.
  ///
  /// The members of a to-many relationship at the end of a path become objects when somebody asks for
  /// the relationship, which reads nothing then; how many they are is known without
  /// (`managedMemberCount(_:)`, `value(forKeyPath: "tags.@count")`).
  open var relationshipKeyPathsForPrefetching: [String]? {
    get { state.value.relationshipKeyPathsForPrefetching }
    set { state.value.relationshipKeyPathsForPrefetching = newValue }
  }

  /// The properties of dictionary results: names, key paths, or descriptions.
  ///
  /// A name that is set after the request's ``entity`` reads back as the entity's description of that
  /// property; everything else reads back as it was set.
  ///
  /// Compared to Apple's Core Data: may be set before the entity is known, and takes key paths. A
  /// property that the entity does not have is an error of the fetch.
  open var propertiesToFetch: [Any]? {
    get { state.value.propertiesToFetch }
    set { state.value.propertiesToFetch = described(newValue) }
  }

  /// Whether equal dictionaries are given once.
  open var returnsDistinctResults: Bool {
    get { state.value.returnsDistinctResults }
    set { state.value.returnsDistinctResults = newValue }
  }

  /// The properties by which dictionary results are grouped: names, key paths, or descriptions.
  ///
  /// A name that is set after the request's ``entity`` reads back as the entity's description of that
  /// property; everything else reads back as it was set.
  open var propertiesToGroupBy: [Any]? {
    get { state.value.propertiesToGroupBy }
    set { state.value.propertiesToGroupBy = described(newValue) }
  }

  /// Returns properties as descriptions where the request's entity has them.
  private func described(_ properties: [Any]?) -> [Any]? {
    guard let properties, let known = state.value.entity?.propertiesByName else {
      return properties
    }
    return properties.map { property in (property as? String).flatMap { known[$0] } ?? property }
  }

  /// Which groups; a variable stands for a column of the result.
  open var havingPredicate: NSPredicate? {
    get { state.value.havingPredicate }
    set { state.value.havingPredicate = newValue }
  }

  /// Whether objects that are in the context already get the store's present values.
  open var shouldRefreshRefetchedObjects: Bool {
    get { state.value.shouldRefreshRefetchedObjects }
    set { state.value.shouldRefreshRefetchedObjects = newValue }
  }

  /// Makes a request without an entity.
  public override init() { super.init() }

  /// Makes a request for an entity by its name.
  public convenience init(entityName: String) {
    self.init()
    state.value.entityName = entityName
  }

  /// Makes a request that asks for the same, with results of another type.
  ///
  /// Compared to Apple's Core Data: `request as! NSFetchRequest<Person>` is no cast that Swift can do
  /// here; write `NSFetchRequest<Person>(request)`.
  public convenience init<Other>(_ request: NSFetchRequest<Other>) {
    self.init()
    request.copyState(to: self)
  }

  /// Makes a request of one of which nothing is known, with results of another type; nil for what is no fetch request.
  ///
  /// Compared to Apple's Core Data: `request as? NSFetchRequest<Person>`. It is another object, but what is set of one
  /// is set of both; what a subclass overrides is its own.
  public convenience init?(casting request: Any?) {
    guard let request = request as? any FetchExecutable else { return nil }
    self.init()
    state = request.state
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
    copy.state = SharedRequestState(state.value)
  }

  /// Whether `count(for:)` is a number of dictionaries.
  var countsDictionaries: Bool {
    switch resultType {
    case .dictionaryResultType: true
    case .countResultType: returnsDistinctResults && propertiesToFetch?.isEmpty == false
    default: false
    }
  }

  /// Called when the request is executed: a request made by name now has its entity.
  func resolveEntity(_ entity: NSEntityDescription) {
    if state.value.entity == nil { state.value.entity = entity }
  }
}
