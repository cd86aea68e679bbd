/// An object of a model's entity.
///
/// Read and write its properties by name (`value(forKey:)`, `setValue(_:forKey:)`), or through the subclass that the
/// model specifies. A fetched object is a fault until a property is read, unless the request's
/// `returnsObjectsAsFaults` is false. Its row usually arrives with the fetch; otherwise reading the first property runs
/// a query.
///
/// An object belongs to its context's queue. A context has at most one object for each row, and an
/// object is equal only to itself.
///
/// Compared to Apple's Core Data: `init(entity:insertInto:)` is a required initializer, because
/// Swift instantiates a class that is known only at run time through a required initializer.
///
/// ```swift
/// let person = Person(context: context)
/// person.lastName = "Babbage"
/// person.setValue(79, forKey: "age")
/// print(person.objectID.isTemporaryID, person.hasChanges)  // true true
/// try context.save()
/// ```
nonisolated open class NSManagedObject: NSObject {
  // The identity, and the state that is read for every object that a predicate is evaluated with,
  // come first, so that they are next to each other in memory. Exclusivity checks are off, because
  // they would take as long as the evaluation.

  /// The layout of the entity's properties. A constant, because each read of a property would retain a variable, and
  /// this made fetching and reading objects a fifth slower.
  final let layout: EntityLayout
  /// The primary key: 0 until the ID is first requested, then negative while the ID is temporary.
  @exclusivity(unchecked)
  final var key: Int64 = 0
  /// The origin of the row. Retained by the table; the temporary origin is immortal.
  @exclusivity(unchecked)
  final unowned(unsafe) var origin: StoreOrigin
  @exclusivity(unchecked)
  final var state = ObjectState()
  /// Whether the object does not retain its table, because a table retains itself while it contains objects.
  @exclusivity(unchecked)
  private final var borrowsTable = false
  /// The table in which the object was registered last. The object keeps it until the object is deallocated.
  final var table: ObjectTable? {
    get { heldTable?.takeUnretainedValue() }
    set {
      let old = borrowsTable ? nil : heldTable
      heldTable = newValue.map(Unmanaged.passRetained)
      borrowsTable = false
      old?.release()
    }
  }
  /// Retained by this object, or by the table itself while the object is in it (`borrowsTable`).
  @exclusivity(unchecked)
  private final var heldTable: Unmanaged<ObjectTable>?
  /// The context, which removes itself from its objects when it is deallocated.
  @exclusivity(unchecked)
  final unowned(unsafe) var unsafeContext: NSManagedObjectContext?

  /// Creates a new object of an entity.
  ///
  /// - Parameters:
  ///   - entity: An entity of the context's model. An object without a context may also have an entity without a model,
  ///     for example one from `entity()` before a model is in use. Such an object has no values.
  ///   - context: The context to insert the object into; nil for an object without a context, which
  ///     `NSManagedObjectContext.insert(_:)` can insert later.
  ///
  /// ```swift
  /// let entity = model.entitiesByName["Person"] ?? NSEntityDescription()
  /// let person = NSManagedObject(entity: entity, insertInto: context)
  /// person.setValue("Babbage", forKey: "lastName")
  /// ```
  public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    // The context's own layout is used even if the entity belongs to a copy of its model.
    let found =
      context.map { $0.layout(of: entity) } ?? LayoutStock.popLayout(of: entity)
      ?? EntityLayout.of(entity) ?? (context == nil && entity.model == nil ? .nothing : nil)
    guard let found else {
      let layouts = context?.layouts ?? entity.model.map(ModelLayout.of)
      stopProgram(
        layouts?.error?.localizedDescription
          ?? "cannot create an NSManagedObject of entity '\(entity.name ?? "")': the entity belongs to"
          + " no model\(context == nil ? "" : " of this context")")
    }
    layout = found
    origin = found.temporaryOrigin
    super.init()
    context?.insert(self)
  }

  deinit {
    AssociatedObjects.managedObjectIsDeallocating(self)
    if let heldTable {
      let (wasThere, isEmptied) = heldTable._withUnsafeGuaranteedRef {
        $0.removeEnding(self, for: key)
      }
      // The context is not used here, because it may be deallocated already.
      if wasThere, !flags.contains(.released) { notifyStoreOfEnd() }
      // A table that contains objects retains itself. This was its last object.
      if isEmptied { heldTable.release() }
      if !borrowsTable { heldTable.release() }
    }
    state.ends()
  }

  final var hasTable: Bool { heldTable != nil }

  /// Adopts a table that contains the object, without retaining it.
  final func borrow(_ table: ObjectTable) {
    heldTable = .passUnretained(table)
    borrowsTable = true
  }

  /// Retains the table, because the object is about to be removed from it.
  final func retainTable() {
    guard borrowsTable else { return }
    _ = heldTable?.retain()
    borrowsTable = false
  }

  /// Creates a new object in a context, of the first entity in the context's model that uses this class, or else of the
  /// first one in the models in use. Stops the program if there is none.
  ///
  /// Compared to Apple's Core Data: a required initializer, so that generic code can create
  /// objects: `T(context: context)`.
  ///
  /// ```swift
  /// func insert<T: NSManagedObject>(_ type: T.Type, into context: NSManagedObjectContext) -> T {
  ///   T(context: context)
  /// }
  /// insert(Team.self, into: context).name = "Yellow"
  /// ```
  public required convenience init(context: NSManagedObjectContext) {
    let entity = context.entity(of: Self.self)
    self.init(entity: entity, insertInto: context)
  }

  /// Creates an object without a context, of the first entity that uses this class in the models in use (see
  /// ``entity()``). If there is none, the object has an entity without a model.
  ///
  /// Compared to Apple's Core Data: there, it has no entity, and reading a property stops the program.
  public override convenience init() {
    let entity =
      Self.self == NSManagedObject.self ? nil : ManagedObjectClasses.registeredEntity(of: Self.self)
    self.init(entity: entity ?? EntityLayout.nothing.entity, insertInto: nil)
  }

  /// Returns the first entity that uses this class in the models in use. If several models have one, returns that of
  /// the newest model.
  ///
  /// If there is none, and for `NSManagedObject` itself, logs that and returns an entity without a name or a model.
  ///
  /// ```swift
  /// print(Person.entity().attributesByName.keys.sorted())
  /// // ["age", "displayOrder", "firstName", "lastName"]
  /// ```
  open class func entity() -> NSEntityDescription {
    if self != NSManagedObject.self, let entity = ManagedObjectClasses.registeredEntity(of: self) {
      return entity
    }
    Log.modelNotice(ManagedObjectClasses.noEntity(of: self))
    return NSEntityDescription()
  }

  /// Returns a request for all objects of the entity that uses this class in the models in use, or
  /// of the entity with the class's name if there is none.
  ///
  /// If a protocol extension declares a typed request with this name, ambiguous calls prefer that
  /// one, as in Apple's Core Data. The package ManagedModels relies on this.
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    let known = ManagedObjectClasses.registeredEntity(of: self)?.name
    return NSFetchRequest(
      entityName: known ?? ManagedObjectClasses.plainName(String(reflecting: self)))
  }

  // MARK: Identity and state
  // Open so that a test double can override them. The library itself reads `ownID`, `layout.entity`, `unsafeContext`
  // and `flags`, so that an override neither slows it down nor has an effect on it.

  /// The object's ID. It is temporary until the object is first saved to a store, or until
  /// `NSManagedObjectContext.obtainPermanentIDs(for:)` assigns a permanent one.
  ///
  /// In a context and its parents and children, the objects of one row have the same ID at all times.
  ///
  /// ```swift
  /// let link = person.objectID.uriRepresentation()
  /// if let id = coordinator.managedObjectID(forURIRepresentation: link) {
  ///   print(id == person.objectID)  // true
  /// }
  /// ```
  open var objectID: NSManagedObjectID { ownID }
  /// The object's entity.
  open var entity: NSEntityDescription { layout.entity }
  /// The context of the object. Nil if the object was not inserted yet, and after it left its context: its deletion was
  /// saved or its insertion was discarded, or the context was reset or deallocated.
  open var managedObjectContext: NSManagedObjectContext? { unsafeContext }
  /// Whether the object has not been filled with its values yet. Reading a property fills it, from a row that is
  /// already in memory or else from the store.
  ///
  /// ```swift
  /// context.refresh(person, mergeChanges: false)
  /// print(person.isFault)  // true
  /// print(person.age, person.isFault)  // 36 false
  /// ```
  open var isFault: Bool { flags.contains(.fault) }
  /// Whether the next save will insert the object.
  ///
  /// ```swift
  /// let draft = Person(context: context)
  /// draft.lastName = "Babbage"
  /// print(draft.isInserted)  // true
  /// try context.save()
  /// print(draft.isInserted)  // false
  /// ```
  open var isInserted: Bool { flags.contains(.inserted) }
  /// Whether the object was changed since it was fetched or saved. Always false for a new object.
  open var isUpdated: Bool { flags.contains(.updated) }
  /// Whether the next save will delete the object.
  open var isDeleted: Bool { flags.contains(.deleted) }
  /// Whether the object has unsaved changes. Setting a property to the same value is a change, too.
  open var hasChanges: Bool { hasUnsavedChanges }
  /// Whether a stored property differs from the last fetched or saved value. False if only primitive
  /// values of an object without changes were set.
  ///
  /// ```swift
  /// person.age = person.age
  /// print(person.hasChanges, person.hasPersistentChangedValues)  // true false
  /// ```
  open var hasPersistentChangedValues: Bool { hasChangedStoredValues }

  // MARK: For subclasses

  /// Called after the object was inserted as a new one: once in its life, unless the program inserts it again after it
  /// left its context. Override it to set initial values.
  ///
  /// ```swift
  /// final class Note: NSManagedObject {
  ///   override func awakeFromInsert() {
  ///     super.awakeFromInsert()
  ///     setPrimitiveValue(Date(), forKey: "created")
  ///   }
  /// }
  /// ```
  open func awakeFromInsert() {}
  /// Called after the object was filled with its values. Values set here do not count as changes.
  ///
  /// ```swift
  /// final class Note: NSManagedObject {
  ///   private(set) var words: [Substring] = []
  ///
  ///   override func awakeFromFetch() {
  ///     super.awakeFromFetch()
  ///     words = (value(forKey: "text") as? String ?? "").split(separator: " ")
  ///   }
  /// }
  /// ```
  open func awakeFromFetch() {}
  /// Called after undo, redo, a rollback, a refresh or a merge policy replaced the object's values.
  ///
  /// ```swift
  /// final class Note: NSManagedObject {
  ///   private var words: [Substring]?
  ///
  ///   override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
  ///     super.awake(fromSnapshotEvents: flags)
  ///     words = nil  // computed from values that have changed
  ///   }
  /// }
  /// ```
  open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}
  /// Called before a save inserts, updates or deletes the object. May change values.
  ///
  /// ```swift
  /// final class Note: NSManagedObject {
  ///   override func willSave() {
  ///     super.willSave()
  ///     let title = value(forKey: "title") as? String ?? ""
  ///     let trimmed = title.trimmingCharacters(in: .whitespaces)
  ///     if title != trimmed { setValue(trimmed, forKey: "title") }
  ///   }
  /// }
  /// ```
  open func willSave() {}
  /// Called after the object was saved.
  ///
  /// ```swift
  /// final class Attachment: NSManagedObject {
  ///   override func didSave() {
  ///     super.didSave()
  ///     if isDeleted, let path = value(forKey: "path") as? String {
  ///       try? FileManager.default.removeItem(atPath: path)
  ///     }
  ///   }
  /// }
  /// ```
  open func didSave() {}
  /// Called before the object is deleted, while its relationships are still intact.
  ///
  /// ```swift
  /// final class Member: NSManagedObject {
  ///   override func prepareForDeletion() {
  ///     super.prepareForDeletion()
  ///     let team = value(forKey: "team") as? NSManagedObject
  ///     team?.setValue(Date(), forKey: "lastChange")
  ///   }
  /// }
  /// ```
  open func prepareForDeletion() {}
  /// Called before the object's values are released.
  ///
  /// ```swift
  /// final class Note: NSManagedObject {
  ///   private var words: [Substring]?
  ///
  ///   override func willTurnIntoFault() {
  ///     super.willTurnIntoFault()
  ///     words = nil
  ///   }
  /// }
  /// ```
  open func willTurnIntoFault() {}
  /// Called after the object's values were released.
  ///
  /// ```swift
  /// final class Photo: NSManagedObject {
  ///   private var thumbnail: Data?
  ///   override func didTurnIntoFault() {
  ///     super.didTurnIntoFault()
  ///     thumbnail = nil
  ///   }
  /// }
  /// ```
  open func didTurnIntoFault() {}

  // MARK: Validation

  /// Validates a value of a property against the model: type, presence, bounds, length, pattern,
  /// predicates, and number of members. Overrides that add rules must call `super`.
  ///
  /// - Throws: The error of the first broken rule, with object, key and value in its `userInfo`; `NSCoreDataError` for
  ///   an unknown key.
  ///
  /// ```swift
  /// final class Account: NSManagedObject {
  ///   override func validateValue(_ value: Any?, forKey key: String) throws {
  ///     try super.validateValue(value, forKey: key)
  ///     guard key == "email", let email = value as? String, !email.contains("@") else { return }
  ///     throw NSError(
  ///       domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError,
  ///       userInfo: [
  ///         NSLocalizedDescriptionKey: "\(email) is not an email address.",
  ///         NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: key,
  ///       ])
  ///   }
  /// }
  /// ```
  open func validateValue(_ value: Any?, forKey key: String) throws {
    guard let slot = layout.slot(named: key) else {
      throw CoreDataError.unknownKey(key, in: layout)
    }
    try check(value, slot)
  }

  /// Validates a value and may replace it with a valid one. Has the signature of Apple's method.
  ///
  /// If the class overrides this method or the one that takes a plain value, saving calls this method for each
  /// attribute, and for each relationship that was set to an object or whose members have changed. The default
  /// implementation calls the method that takes a plain value. If an override changes `value`, saving sets the property
  /// to the new value.
  open func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    try validateValue(value.pointee, forKey: key)
  }

  /// Validates a value of the property at the end of a key path of to-one relationships, such as
  /// `team.name`, with the object that has the property. Does nothing if a relationship is nil.
  ///
  /// - Throws: The error of the first broken rule; `NSCoreDataError` if the path contains an unknown key or leads to no
  ///   single object.
  ///
  /// ```swift
  /// try player.validateValue("Crimson", forKeyPath: "team.name")
  /// ```
  open func validateValue(_ value: Any?, forKeyPath keyPath: String) throws {
    guard let (owner, key) = try ownerToValidate(keyPath) else { return }
    try owner.validateValue(value, forKey: key)
  }

  /// Validates a value along a key path and may replace it with a valid one. Has the signature of Apple's
  /// method. See `validateValue(_:forKeyPath:)`.
  open func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKeyPath keyPath: String
  ) throws {
    guard let (owner, key) = try ownerToValidate(keyPath) else { return }
    try owner.validateValue(value, forKey: key)
  }

  /// Validates a new object before it is saved. Overrides that add rules must call `super`.
  ///
  /// - Throws: The error of the broken rule, or `NSValidationMultipleErrorsError` for several.
  ///
  /// ```swift
  /// final class Booking: NSManagedObject {
  ///   override func validateForInsert() throws {
  ///     try super.validateForInsert()
  ///     guard let start = value(forKey: "start") as? Date, let end = value(forKey: "end") as? Date,
  ///       start >= end
  ///     else { return }
  ///     throw NSError(
  ///       domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError,
  ///       userInfo: [NSLocalizedDescriptionKey: "A booking ends after its start."])
  ///   }
  /// }
  /// ```
  open func validateForInsert() throws {
    if let error = ValidationErrors.combined(brokenRules()) { throw error }
  }

  /// Validates a changed object before it is saved. Overrides that add rules must call `super`.
  ///
  /// - Throws: The error of the broken rule, or `NSValidationMultipleErrorsError` for several.
  ///
  /// ```swift
  /// final class Meeting: NSManagedObject {
  ///   override func validateForUpdate() throws {
  ///     try super.validateForUpdate()
  ///     if value(forKey: "room") == nil {
  ///       throw CocoaError(.validationMissingMandatoryProperty)
  ///     }
  ///   }
  /// }
  /// ```
  open func validateForUpdate() throws {
    if let error = ValidationErrors.combined(brokenRules()) { throw error }
  }

  /// Checks that the object may be deleted: no relationship with a Deny rule leads to an object
  /// that is not deleted. Overrides that add rules must call `super`.
  ///
  /// - Throws: `NSValidationRelationshipDeniedDeleteError` for such a relationship, or
  ///   `NSValidationMultipleErrorsError` for several; the store's error if a destination cannot be read.
  ///
  /// ```swift
  /// final class Invoice: NSManagedObject {
  ///   override func validateForDelete() throws {
  ///     try super.validateForDelete()
  ///     if value(forKey: "isPaid") as? Bool == true { return }
  ///     throw NSError(
  ///       domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError,
  ///       userInfo: [NSLocalizedDescriptionKey: "An unpaid invoice cannot be deleted."])
  ///   }
  /// }
  /// ```
  open func validateForDelete() throws {
    if let error = ValidationErrors.combined(try deniedDeletions()) { throw error }
  }

  // MARK: Key-value coding

  /// Returns the value of a property by name, filling a fault. Properties of all managed objects,
  /// such as `objectID`, `entity` and `isInserted`, have keys, too. Calls `value(forUndefinedKey:)` for an unknown key.
  ///
  /// - Returns: Nil, an `NSNumber`, `String`, `Date`, `Data`, `UUID`, `URL`, `NSDecimalNumber`, a
  ///   managed object, an `NSSet` or `NSOrderedSet` of them, a transformable's value, the dictionary of a composite
  ///   attribute, or the `NSArray` of a fetched property. Numbers can be cast to Swift's types:
  ///   `value(forKey: "age") as? Int`.
  ///
  /// ```swift
  /// let age = person.value(forKey: "age") as? Int
  /// let players = team.value(forKey: "players") as? Set<Player>
  /// ```
  open func value(forKey key: String) -> Any? {
    if let slot = layout.slotNumbers[key] { return externalValue(slot) }
    if let key = StateKey(rawValue: key) { return key.value(of: self) }
    if let slot = layout.slot(readBy: key) { return externalValue(slot) }
    return value(forUndefinedKey: key)
  }

  /// Sets a property by name, and updates the inverse of a relationship.
  ///
  /// The key's first letter may be uppercase or lowercase, as in Apple's key-value coding, which calls `setDate:` for
  /// both `date` and `Date`.
  ///
  /// Stops the program if the model does not have the key, the value has the wrong type, or it is an object of another
  /// context; `setValidatedValue(_:forKey:)` throws instead. Calls ``setNilValueForKey(_:)`` to set nil for
  /// an attribute that may be a scalar.
  ///
  /// ```swift
  /// person.setValue(37, forKey: "age")
  /// player.setValue(nil, forKey: "team")
  /// ```
  open func setValue(_ value: Any?, forKey key: String) {
    guard let slot = layout.slot(setBy: key) else { return setValue(value, forUndefinedKey: key) }
    let key = layout.slots[slot].name
    if value == nil, layout.slots[slot].mayBeScalar { return setNilValueForKey(key) }
    setCheckedValue(value, forKey: key)
  }

  /// Called by `setValue(_:forKey:)` to set nil for an attribute that may be a scalar in the class.
  /// Sets nil unless overridden. Overrides may set another value, and must call `super` for other keys.
  ///
  /// The attributes that may be scalars are those of integers, floating-point numbers and Booleans, unless the model
  /// declares that they are not, and those of dates that the model declares to be scalars.
  ///
  /// Compared to Apple's Core Data: unlike Objective-C, Swift does not know which properties are
  /// scalars, so this is called for properties of type `NSNumber?`, too. Apple's method raises an
  /// exception unless overridden. Here the attribute then has no value, and a scalar property reads 0.
  ///
  /// ```swift
  /// final class Reading: NSManagedObject {
  ///   override func setNilValueForKey(_ key: String) {
  ///     if key == "value" { return setValue(-1, forKey: key) }
  ///     super.setNilValueForKey(key)
  ///   }
  /// }
  /// ```
  open func setNilValueForKey(_ key: String) {
    guard layout.slotNumbers[key] != nil else { return setValue(nil, forUndefinedKey: key) }
    setCheckedValue(nil, forKey: key)
  }

  /// Returns the value at a key path: `team.name`, `players.@avg.age`. Stops the program if the key path
  /// is invalid.
  ///
  /// ```swift
  /// print(player.value(forKeyPath: "team.name") ?? "")  // Red
  /// print(team.value(forKeyPath: "players.@max.age") ?? 0)  // 25
  /// ```
  open func value(forKeyPath keyPath: String) -> Any? { readValue(atKeyPath: keyPath) }

  /// Sets the property at the end of a key path. Does nothing if a to-one relationship on the path is nil. If a
  /// relationship on the path is to-many, sets the property of every member.
  ///
  /// ```swift
  /// player.setValue("Crimson", forKeyPath: "team.name")
  /// print(team.name ?? "")  // Crimson
  /// ```
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    writeValue(value, atKeyPath: keyPath)
  }

  /// Returns the values of some keys, with `NSNull` for nil.
  ///
  /// ```swift
  /// let values = person.dictionaryWithValues(forKeys: ["lastName", "age"])
  /// print(values["lastName"] ?? "", values["age"] ?? 0)  // Lovelace 36
  /// ```
  open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    var values: [String: Any] = [:]
    for key in keys { values[key] = value(forKey: key) ?? NSNull() }
    return values
  }

  /// Sets properties by name, in the order of the names. `NSNull` sets nil.
  ///
  /// ```swift
  /// person.setValuesForKeys(["firstName": "Augusta", "age": 37])
  /// ```
  open func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) {
      setValue(isNullObject(value) ? nil : value, forKey: key)
    }
  }

  /// Returns the members of a to-many relationship as a set that shows and changes the relationship.
  ///
  /// Adding a member reads only what is needed to determine whether it is a member already. Stops the program if the
  /// key is not that of an unordered to-many relationship.
  ///
  /// Compared to Apple's Core Data: a cast to a Swift `Set` results in an empty set, because Foundation on Linux cannot
  /// cast a subclass of `NSSet`. Use `value(forKey:)` or `allObjects`.
  ///
  /// ```swift
  /// let players = team.mutableSetValue(forKey: "players")
  /// players.remove(player)
  /// print(player.team == nil)  // true
  /// ```
  open func mutableSetValue(forKey key: String) -> NSMutableSet {
    liveSet(forKey: key)
  }

  /// Returns the members of an ordered relationship as an ordered set that shows and changes the relationship. Stops
  /// the program if the key is not that of an ordered relationship.
  ///
  /// ```swift
  /// let jobs = customer.mutableOrderedSetValue(forKey: "jobs")
  /// jobs.exchangeObject(at: 0, withObjectAt: 1)
  /// print((customer.jobs?.firstObject as? Job)?.title ?? "")  // Painting
  /// ```
  open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    liveOrderedSet(forKey: key)
  }

  /// Returns the members of the to-many relationship at the end of a key path of to-one relationships, as in
  /// `mutableSetValue(forKey:)`. If a to-one relationship is nil, returns an empty set that changes no
  /// relationship.
  ///
  /// ```swift
  /// let teammates = player.mutableSetValue(forKeyPath: "team.players")
  /// print(teammates.count)  // 2
  /// ```
  open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
    guard let (owner, key) = lastOwner(onKeyPath: keyPath) else { return NSMutableSet() }
    return owner.mutableSetValue(forKey: key)
  }

  /// Returns the members of the ordered relationship at the end of a key path. See
  /// `mutableSetValue(forKeyPath:)`.
  open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
    guard let (owner, key) = lastOwner(onKeyPath: keyPath) else { return NSMutableOrderedSet() }
    return owner.mutableOrderedSetValue(forKey: key)
  }

  // MARK: Custom accessors

  /// Fills a fault before an accessor reads a value. Fills all values, whatever the key, which may be nil.
  ///
  /// ```swift
  /// final class Note: NSManagedObject {
  ///   var title: String? {
  ///     get {
  ///       willAccessValue(forKey: "title")
  ///       defer { didAccessValue(forKey: "title") }
  ///       return primitiveValue(forKey: "title") as? String
  ///     }
  ///     set {
  ///       willChangeValue(forKey: "title")
  ///       setPrimitiveValue(newValue, forKey: "title")
  ///       didChangeValue(forKey: "title")
  ///     }
  ///   }
  /// }
  /// ```
  open func willAccessValue(forKey key: String?) {
    requireQueue()
    if flags.contains(.recording) { return }
    if let key, let slot = layout.slotNumbers[key] { noteRead(slot) }
    do {
      try fire()
    } catch {
      _ = inaccessible(error)
    }
  }

  /// Returns an empty set. Managed objects do not use key-value observing.
  ///
  /// Compared to Apple's Core Data: this method is never called; it exists so that overrides
  /// compile. Observers of an object (`withObservationTracking`) are notified of changes to the
  /// properties that a computed property reads.
  open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

  /// Reports that an accessor has read a value.
  open func didAccessValue(forKey key: String?) {}

  /// Announces that an accessor will change a value.
  open func willChangeValue(forKey key: String) { announceChange(forKey: key) }

  /// Reports that an accessor has changed a value. Updates the inverse of a relationship, and
  /// records the change in the context.
  open func didChangeValue(forKey key: String) { completeChange(forKey: key) }

  /// Announces that an accessor will change the members of a to-many relationship.
  open func willChangeValue(
    forKey key: String, withSetMutation mutation: NSKeyValueSetMutationKind,
    using objects: Set<AnyHashable>
  ) {
    announceChange(forKey: key)
  }

  /// Reports that an accessor has changed the members of a to-many relationship.
  open func didChangeValue(
    forKey key: String, withSetMutation mutation: NSKeyValueSetMutationKind,
    using objects: Set<AnyHashable>
  ) {
    completeChange(forKey: key)
  }

  /// Announces that an accessor will change members of an ordered relationship.
  open func willChange(_ change: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
    announceChange(forKey: key)
  }

  /// Reports that an accessor has changed members of an ordered relationship.
  open func didChange(_ change: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
    completeChange(forKey: key)
  }

  /// Returns the object's own value of a property, for accessors.
  ///
  /// For a to-many relationship this is an `NSMutableSet` or `NSMutableOrderedSet`. If it was read
  /// after `willChangeValue(forKey:)`, then `didChangeValue(forKey:)` applies the changes made to it.
  open func primitiveValue(forKey key: String) -> Any? {
    guard let slot = layout.slotNumbers[key] else { return value(forUndefinedKey: key) }
    return primitive(slot)
  }

  /// Sets the object's own value of a property. Neither updates the inverse nor records a change.
  ///
  /// Stops the program if the model does not have the key or the value has the wrong type.
  ///
  /// ```swift
  /// final class Note: NSManagedObject {
  ///   override func awakeFromInsert() {
  ///     super.awakeFromInsert()
  ///     setPrimitiveValue(UUID(), forKey: "identifier")
  ///   }
  /// }
  /// ```
  open func setPrimitiveValue(_ value: Any?, forKey key: String) {
    guard let slot = layout.slotNumbers[key] else {
      return setValue(value, forUndefinedKey: key)
    }
    stoppingOnMisuse { try setPrimitive(value, slot) }
  }

  // MARK: Changed values

  /// Returns the new values of stored properties that differ from the last fetched or saved ones,
  /// with `NSNull` for nil; an empty dictionary for a fault without changes.
  ///
  /// For an object without other changes, values set by `setPrimitiveValue(_:forKey:)` are not
  /// changes. They are included, and saved, once the object is changed in another way.
  ///
  /// ```swift
  /// person.age = 37
  /// print(person.changedValues())  // ["age": 37]
  /// ```
  open func changedValues() -> [String: Any] {
    requireQueue()
    return changedValuesByName()
  }

  /// Returns the former values, with `NSNull` for nil, of the properties that have changed since changes were last
  /// processed. In an observer of `NSManagedObjectContextObjectsDidChange`, returns those of the reported changes.
  ///
  /// ```swift
  /// let observer = NotificationCenter.default.addObserver(
  ///   forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
  /// ) { change in
  ///   for object in change.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? [] {
  ///     print("before:", object.changedValuesForCurrentEvent())
  ///   }
  /// }
  /// ```
  open func changedValuesForCurrentEvent() -> [String: Any] {
    requireQueue()
    return formerValuesOfEvent()
  }

  /// Returns the last fetched or saved values, with `NSNull` for nil; those of all stored properties if
  /// `keys` is nil. For an object that was never saved, returns `NSNull` for every stored property if `keys` is nil,
  /// otherwise an empty dictionary.
  ///
  /// ```swift
  /// person.age = 37
  /// print(person.committedValues(forKeys: ["age"]))  // ["age": 36]
  /// ```
  open func committedValues(forKeys keys: [String]?) -> [String: Any] {
    requireQueue()
    return committedValuesByName(keys)
  }

  // MARK: Faults

  /// 0 for an object that is filled with its values, another number for a fault.
  open var faultingState: Int { isFault ? 1 : 0 }

  /// Returns whether following a relationship may read from the store, without reading anything; false if the key is
  /// not that of a relationship.
  ///
  /// ```swift
  /// let background = container.newBackgroundContext()
  /// let isUnread = try background.performAndWait {
  ///   try background.fetch(Team.fetchRequest()).allSatisfy {
  ///     $0.hasFault(forRelationshipNamed: "players")
  ///   }
  /// }
  /// ```
  open func hasFault(forRelationshipNamed key: String) -> Bool {
    requireQueue()
    guard let slot = layout.slot(named: key), slot.relationship != nil else { return false }
    return isUnread(slot.index)
  }

  /// Returns the IDs of a relationship's destinations; none if the key is not that of a relationship. Makes objects of
  /// prefetched members, but not of destinations that were not read yet, unless the context has changed the members of
  /// an ordered relationship.
  ///
  /// ```swift
  /// let ids = team.objectIDs(forRelationshipNamed: "players")
  /// print(ids.count)  // 2
  /// ```
  open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    requireQueue()
    guard let slot = layout.slot(named: key), slot.relationship != nil else { return [] }
    do {
      return try destinationIDs(slot.index)
    } catch {
      _ = inaccessible(error)
      return []
    }
  }

  /// Whether ``didChangeValue(forKey:)`` leaves ``hasChanges`` as it is if the property is not in the model.
  open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

  /// Called for a key that the entity does not have. Stops the program unless overridden. If a
  /// predicate or expression reads the key, its evaluation fails instead.
  ///
  /// ```swift
  /// final class Contact: NSManagedObject {
  ///   override func value(forUndefinedKey key: String) -> Any? {
  ///     guard key == "fullName" else { return super.value(forUndefinedKey: key) }
  ///     let names = [value(forKey: "firstName"), value(forKey: "lastName")]
  ///     return names.compactMap { $0 as? String }.joined(separator: " ")
  ///   }
  /// }
  /// ```
  open func value(forUndefinedKey key: String) -> Any? {
    if flags.contains(.recording) {
      KeyPathProbe.noteUnknownKey()
      return nil
    }
    if flags.contains(.readsUndefinedKey) {
      state.noteMissingKey()
      return nil
    }
    stopProgram(layout.undefinedKeyMessage(key))
  }

  /// Called for a key that the entity does not have. Stops the program unless overridden.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    stopProgram(layout.undefinedKeyMessage(key))
  }

  open override var description: String { objectDescription }
}

extension NSManagedObject: NSFetchRequestResult {}
