/// Describes which objects of an entity to fetch, in which order and in which form.
///
/// ```swift
/// let request = NSFetchRequest<Person>(entityName: "Person")
/// request.predicate = NSPredicate(format: "age > %d", 30)
/// request.sortDescriptors = [NSSortDescriptor(key: "lastName", ascending: true)]
/// let people = try context.fetch(request)
/// ```
///
/// Do not change a request while a fetch uses it.
nonisolated open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
  /// The properties of the request. A request that was created by casting another one shares them with it.
  private(set) var state = SharedRequestState(FetchRequestState())

  /// The name of the entity, which is looked up in the model when the request is executed; nil if none was set.
  open var entityName: String? { state.value.entityName }

  /// The entity; nil if none was set, or if the request was created with an entity name and has not been executed yet.
  ///
  /// Compared to Apple's Core Data: accessing this property before the execution does not raise an exception.
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

  /// The condition for results; nil selects all objects.
  open var predicate: NSPredicate? {
    get { state.value.predicate }
    set { state.value.predicate = newValue }
  }

  /// The order of the results. Without sort descriptors, and if objects compare equal, results are sorted by their IDs,
  /// except in a custom incremental store, which may return them in any order.
  open var sortDescriptors: [NSSortDescriptor]? {
    get { state.value.sortDescriptors }
    set { state.value.sortDescriptors = newValue }
  }

  /// The maximum number of results; 0 means no limit.
  open var fetchLimit: Int {
    get { state.value.fetchLimit }
    set { state.value.fetchLimit = newValue }
  }

  /// The number of results to skip at the beginning.
  open var fetchOffset: Int {
    get { state.value.fetchOffset }
    set { state.value.fetchOffset = newValue }
  }

  /// The number of objects whose values are read together; 0 reads all values at once.
  ///
  /// With a batch size, a fetch reads only keys. The first access to a value of an object reads the values of its whole
  /// batch.
  open var fetchBatchSize: Int {
    get { state.value.fetchBatchSize }
    set { state.value.fetchBatchSize = newValue }
  }

  /// The type of the results.
  open var resultType: NSFetchRequestResultType {
    get { state.value.resultType }
    set { state.value.resultType = newValue }
  }

  /// Whether the results include objects of subentities.
  open var includesSubentities: Bool {
    get { state.value.includesSubentities }
    set { state.value.includesSubentities = newValue }
  }

  /// Whether the fetch reads the values of the objects. If it does not, they are read when one of them is first
  /// accessed.
  ///
  /// ```swift
  /// let request = Job.fetchRequest()
  /// request.includesPropertyValues = false
  /// for job in try context.fetch(request) { context.delete(job) }
  /// ```
  open var includesPropertyValues: Bool {
    get { state.value.includesPropertyValues }
    set { state.value.includesPropertyValues = newValue }
  }

  /// Whether the results reflect unsaved changes of the context. Dictionary results never do.
  open var includesPendingChanges: Bool {
    get { state.value.includesPendingChanges }
    set { state.value.includesPendingChanges = newValue }
  }

  /// Whether objects are returned as faults. A fault's values are in memory nevertheless, unless
  /// ``includesPropertyValues`` is false, a ``fetchBatchSize`` is set, or the object is in a custom incremental store.
  open var returnsObjectsAsFaults: Bool {
    get { state.value.returnsObjectsAsFaults }
    set { state.value.returnsObjectsAsFaults = newValue }
  }

  /// The key paths of relationships whose destinations are read too: `team`, `tags`, `players.tags`. Reading a to-one
  /// relationship usually takes one query, reading a to-many relationship one query for every 1,024 owners.
  ///
  /// The members of a to-many relationship at the end of a key path become objects when the relationship is first
  /// accessed; this access does not read from the store. Their number is available without creating objects
  /// (`managedMemberCount(_:)`, `value(forKeyPath: "tags.@count")`).
  open var relationshipKeyPathsForPrefetching: [String]? {
    get { state.value.relationshipKeyPathsForPrefetching }
    set { state.value.relationshipKeyPathsForPrefetching = newValue }
  }

  /// The properties of dictionary results: names, key paths or descriptions.
  ///
  /// A name that is set when the request has an ``entity`` is replaced with the entity's description of this property;
  /// other elements stay as they were set.
  ///
  /// Compared to Apple's Core Data: this property may be set before the entity is known, and may contain key paths. The
  /// fetch throws an error if the entity has no such property.
  open var propertiesToFetch: [Any]? {
    get { state.value.propertiesToFetch }
    set { state.value.propertiesToFetch = described(newValue) }
  }

  /// Whether duplicate dictionaries are removed from the results.
  open var returnsDistinctResults: Bool {
    get { state.value.returnsDistinctResults }
    set { state.value.returnsDistinctResults = newValue }
  }

  /// The properties by which dictionary results are grouped: names, key paths or descriptions.
  ///
  /// A name that is set when the request has an ``entity`` is replaced with the entity's description of this property;
  /// other elements stay as they were set.
  open var propertiesToGroupBy: [Any]? {
    get { state.value.propertiesToGroupBy }
    set { state.value.propertiesToGroupBy = described(newValue) }
  }

  /// Replaces the names of properties of the request's entity with the entity's descriptions.
  private func described(_ properties: [Any]?) -> [Any]? {
    guard let properties, let known = state.value.entity?.propertiesByName else {
      return properties
    }
    return properties.map { property in (property as? String).flatMap { known[$0] } ?? property }
  }

  /// The condition for groups of dictionary results; nil selects all groups. A variable refers to a column of the
  /// result.
  ///
  /// ```swift
  /// let count = NSExpressionDescription()
  /// count.name = "count"
  /// count.expression = NSExpression(format: "count:(name)")
  /// count.resultType = .integer64
  /// let request = NSFetchRequest<NSDictionary>(entityName: "Player")
  /// request.resultType = .dictionaryResultType
  /// request.propertiesToFetch = ["team.name", count]
  /// request.propertiesToGroupBy = ["team.name"]
  /// request.havingPredicate = NSPredicate(format: "$count > 1")
  /// print(try context.fetch(request).count)  // 2: Blue and Red
  /// ```
  open var havingPredicate: NSPredicate? {
    get { state.value.havingPredicate }
    set { state.value.havingPredicate = newValue }
  }

  /// Whether the fetch refreshes objects that are already in memory with the store's current values. Unsaved changes
  /// are kept.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.shouldRefreshRefetchedObjects = true
  /// let people = try context.fetch(request)
  /// ```
  open var shouldRefreshRefetchedObjects: Bool {
    get { state.value.shouldRefreshRefetchedObjects }
    set { state.value.shouldRefreshRefetchedObjects = newValue }
  }

  /// Creates a request without an entity.
  public override init() { super.init() }

  /// Creates a request for the entity with a name.
  public convenience init(entityName: String) {
    self.init()
    state.value.entityName = entityName
  }

  /// Creates a copy of a request with another type of results.
  ///
  /// Compared to Apple's Core Data: without Objective-C, Swift cannot perform the cast
  /// `request as! NSFetchRequest<Person>`; write `NSFetchRequest<Person>(request)`.
  ///
  /// ```swift
  /// let template = try model.fetchRequest(fromTemplate: "peopleOfAge", variables: ["AGE": 50])
  /// let people = try context.fetch(NSFetchRequest<Person>(template))
  /// print(people.count)  // 3
  /// ```
  public convenience init<Other>(_ request: NSFetchRequest<Other>) {
    self.init()
    request.copyState(to: self)
  }

  /// Casts a request to one with another type of results. Fails if the value is not a fetch request.
  ///
  /// Compared to Apple's Core Data: use this instead of `request as? NSFetchRequest<Person>`. The new request is
  /// another object that shares all properties with the original, but not the overrides of a subclass.
  ///
  /// ```swift
  /// func count(_ request: NSPersistentStoreRequest) throws -> Int? {
  ///   guard let people = NSFetchRequest<Person>(casting: request) else { return nil }
  ///   return try context.count(for: people)
  /// }
  /// ```
  public convenience init?(casting request: Any?) {
    guard let request = request as? any FetchExecutable else { return nil }
    self.init()
    state = request.state
  }

  /// Executes the request in the context on whose queue the caller runs. Call it inside the `perform` or
  /// `performAndWait` of a context.
  ///
  /// - Throws: The errors of `NSManagedObjectContext.fetch(_:)`; `NSCoreDataError` outside a context's queue.
  ///
  /// ```swift
  /// let count = try await context.perform {
  ///   try NSFetchRequest<Person>(entityName: "Person").execute().count
  /// }
  /// ```
  open func execute() throws -> [ResultType] {
    guard let context = ContextQueue.presentContext else {
      throw CoreDataError.badRequest(
        "execute() of a fetch request was called outside a context's queue: call it inside perform or"
          + " performAndWait of a context, or use the context's fetch(_:)")
    }
    return try context.fetch(self)
  }

  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchRequest<ResultType>()
    copyState(to: copy)
    return copy
  }

  func copyState<Other: NSFetchRequestResult>(to copy: NSFetchRequest<Other>) {
    // A new state object, so that later changes to one request do not affect the other.
    copy.state = SharedRequestState(state.value)
  }

  /// Whether `count(for:)` counts dictionaries.
  var countsDictionaries: Bool {
    switch resultType {
    case .dictionaryResultType: true
    case .countResultType: returnsDistinctResults && propertiesToFetch?.isEmpty == false
    default: false
    }
  }

  /// Sets the entity of a request that was created with an entity name, when it is executed.
  func resolveEntity(_ entity: NSEntityDescription) {
    if state.value.entity == nil { state.value.entity = entity }
  }
}
