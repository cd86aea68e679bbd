/// An object of a model's entity, in a context.
///
/// Properties are read and written by their names (`value(forKey:)`, `setValue(_:forKey:)`) or
/// through a subclass that the model names. A fetched object is a fault until a property is read;
/// its row usually came with the fetch, else it is read then.
///
/// An object belongs to its context's queue. It is equal only to itself; in one context there is
/// one object a row.
///
/// Compared to Apple's Core Data: `init(entity:insertInto:)` is a required initialiser, because
/// Swift makes objects of a class that is known at run time only through one.
nonisolated open class NSManagedObject: NSObject {
  // What tells an object apart, and what is read of every object that a predicate is tried on, comes
  // first, so that it lies together; and it is not checked for overlapping accesses, which would take as
  // long as trying.

  /// Where the entity's properties live.
  final let layout: EntityLayout
  /// The primary key; negative before the first save, 0 before the ID was asked for.
  @exclusivity(unchecked)
  final var key: Int64 = 0
  /// The table holds it; the temporary one is there for ever.
  @exclusivity(unchecked)
  final unowned(unsafe) var origin: StoreOrigin
  @exclusivity(unchecked)
  final var state = ObjectState()
  // Inlined, they read what lies there; `ObjectState` alone changes it.
  @inline(__always)
  final var flags: ObjectState.Flags { state.flags }
  @inline(__always)
  final var snapshot: RowSnapshot { state.snapshot }
  @inline(__always)
  final var contents: [SlotContent] { state.contents }
  /// Whether the object holds its table by being among its objects.
  @exclusivity(unchecked)
  private final var borrowsTable = false
  /// Where the object stands for its row, until it ends.
  final var table: ObjectTable? {
    get { heldTable?.takeUnretainedValue() }
    set {
      let old = borrowsTable ? nil : heldTable
      heldTable = newValue.map(Unmanaged.passRetained)
      borrowsTable = false
      old?.release()
    }
  }
  /// Held by hand, or by being among the table's objects.
  @exclusivity(unchecked)
  private final var heldTable: Unmanaged<ObjectTable>?
  /// The context outlives its objects' need of it: it takes itself out when it ends.
  @exclusivity(unchecked)
  final unowned(unsafe) var unsafeContext: NSManagedObjectContext?

  /// Makes a new object of an entity.
  ///
  /// - Parameters:
  ///   - entity: an entity of the context's model.
  ///   - context: where the object is inserted; with nil it stands alone until
  ///     `NSManagedObjectContext.insert(_:)`.
  public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    // The context's own layout, also for an entity of another copy of its model.
    let found =
      context.map { $0.layout(of: entity) } ?? LayoutStock.popLayout(of: entity)
      ?? EntityLayout.of(entity)
    guard let found else {
      let layouts = context?.layouts ?? entity.model.map(ModelLayout.of)
      stopProgram(
        layouts?.fault?.localizedDescription
          ?? "An NSManagedObject of entity '\(entity.name ?? "")' cannot be made: the entity belongs to"
          + " no model\(context == nil ? "" : " of this context")")
    }
    layout = found
    origin = found.temporaryOrigin
    super.init()
    context?.insert(self)
  }

  deinit {
    AssociatedObjects.managedObjectEnds(self)
    if let heldTable {
      let (wasThere, isEmptied) = heldTable._withUnsafeGuaranteedRef {
        $0.removeEnding(self, for: key)
      }
      // Nothing is asked of the context, which may have ended before.
      if wasThere, !flags.contains(.released) { notifyStoreOfEnd() }
      if isEmptied { heldTable.release() }
      if !borrowsTable { heldTable.release() }
    }
    state.ends()
  }

  final var hasTable: Bool { heldTable != nil }

  /// Takes a table among whose objects this one is now.
  final func borrow(_ table: ObjectTable) {
    heldTable = .passUnretained(table)
    borrowsTable = true
  }

  /// Holds the table by hand from now on: the object is about to be none of the table's.
  final func keepTable() {
    guard borrowsTable else { return }
    _ = heldTable?.retain()
    borrowsTable = false
  }

  /// Makes a new object in a context, of the one entity that this class serves there.
  ///
  /// Compared to Apple's Core Data: a required initialiser, so that generic code can make objects of
  /// a class that it is given: `T(context: context)`.
  public required convenience init(context: NSManagedObjectContext) {
    let entity = context.entity(of: Self.self)
    self.init(entity: entity, insertInto: context)
  }

  /// Makes an object of the one entity that this class serves in the models in use, without a context; of an entity
  /// of no model where it serves none.
  ///
  /// Compared to Apple's Core Data: such an object has no entity there, and reading a property of it stops the program.
  public override convenience init() {
    let entity =
      Self.self == NSManagedObject.self ? nil : ManagedObjectClasses.registeredEntity(of: Self.self)
    self.init(entity: entity ?? EntityLayout.nothing.entity, insertInto: nil)
  }

  /// The one entity that this class serves in the models in use.
  ///
  /// For a class that serves none, an entity without a name, of no model; the log says so.
  open class func entity() -> NSEntityDescription {
    if self != NSManagedObject.self, let entity = ManagedObjectClasses.registeredEntity(of: self) {
      return entity
    }
    Log.modelNotice(ManagedObjectClasses.noEntity(of: self))
    return NSEntityDescription()
  }

  /// A request for all objects of this class's entity; of the entity that has the class's name, for a
  /// class that serves none in the models in use.
  ///
  /// Where an extension of a protocol gives a typed request under this name, and nothing says which is meant, that one
  /// is, as with Apple's: the package ManagedModels builds on it.
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    let known = ManagedObjectClasses.registeredEntity(of: self)?.name
    return NSFetchRequest(
      entityName: known ?? ManagedObjectClasses.plainName(String(reflecting: self)))
  }

  /// The context that the object belongs to; nil after it was deleted and saved, or the context
  /// was reset.
  public final var managedObjectContext: NSManagedObjectContext? { unsafeContext }

  /// The object's entity.
  public final var entity: NSEntityDescription { layout.entity }

  /// The object's ID: temporary until it is saved to a store for the first time, or
  /// `NSManagedObjectContext.obtainPermanentIDs(for:)` gives it a permanent one.
  ///
  /// The objects of one row in a context and in the contexts above and below it have one ID at every moment.
  public final var objectID: NSManagedObjectID {
    if key > 0 { return NSManagedObjectID(layout: layout, key: key, origin: origin) }
    return unsavedID
  }

  @inline(never)
  private final var unsavedID: NSManagedObjectID {
    // Made before the context is asked: identities that become known from here on reach the ID itself.
    let id = NSManagedObjectID(layout: layout, key: primaryKey, origin: origin)
    return unsafeContext?.foreign.permanentIDs.present(id) ?? id
  }

  /// The number in the object's ID, without making one: the row's primary key, negative before the first save.
  /// An object of no context gets a temporary one on first use.
  package final var primaryKey: Int64 {
    if key == 0, origin === layout.temporaryOrigin { key = StoreOrigin.nextTemporaryKey() }
    return key
  }

  /// Whether the object's values are not in use yet: the next property read fills them in.
  public final var isFault: Bool { flags.contains(.fault) }
  /// Whether the object will be inserted by the next save.
  public final var isInserted: Bool { flags.contains(.inserted) }
  /// Whether the object was changed since it was fetched or saved.
  public final var isUpdated: Bool { flags.contains(.updated) }
  /// Whether the object will be deleted by the next save.
  public final var isDeleted: Bool { flags.contains(.deleted) }
  /// Whether a save would do something with the object, or seem to: setting a property to the
  /// value it has counts.
  open var hasChanges: Bool {
    !flags.isDisjoint(with: [.inserted, .updated, .deleted])
  }
  /// Whether a stored property differs from what was fetched or saved; false for an object without changes, whose
  /// primitive values alone were set.
  open var hasPersistentChangedValues: Bool {
    hasChanges && layout.slots.contains { !$0.isTransient && isChanged($0) }
  }

  // MARK: For subclasses

  /// Called once in the object's life, after it was inserted. Set initial values here.
  open func awakeFromInsert() {}
  /// Called when the object's values were filled in. What is set here does not count as a change.
  open func awakeFromFetch() {}
  /// Called when the object's values were set from outside: by undo and redo, by a rollback.
  open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}
  /// Called before the object is saved, inserted, updated or deleted; it may change values.
  open func willSave() {}
  /// Called after the object was saved.
  open func didSave() {}
  /// Called when the object is about to be deleted, its relationships still as they were.
  open func prepareForDeletion() {}
  /// Called before the object's values are let go.
  open func willTurnIntoFault() {}
  /// Called after the object's values were let go.
  open func didTurnIntoFault() {}

  // MARK: Validation

  /// Checks a value for a property against the model: its type, whether it may be missing, its
  /// bounds, its length and pattern, the number of members. Override to add rules, and call this
  /// too.
  ///
  /// - Throws: the error of the rule that is broken, with object, key and value in its `userInfo`.
  open func validateValue(_ value: Any?, forKey key: String) throws {
    guard let slot = layout.slot(named: key) else {
      throw CoreDataError.unknownKey(key, in: layout)
    }
    try check(value, slot)
  }

  /// Checks a value that may be changed to one that is valid: the form that Apple's has.
  ///
  /// Saving calls this one for every property, which calls the other. What an override leaves in
  /// `value` is set.
  open func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    try validateValue(value.pointee, forKey: key)
  }

  /// Checks a value for the property at the end of a key path of to-one relationships, by the object
  /// that has the property: `team.name`. Where one of those leads nowhere there is nothing to check.
  ///
  /// - Throws: the error of the rule that is broken; `NSCoreDataError` for a key path that leads to no
  ///   one object.
  open func validateValue(_ value: Any?, forKeyPath keyPath: String) throws {
    guard let (owner, key) = try ownerToValidate(keyPath) else { return }
    try owner.validateValue(value, forKey: key)
  }

  /// Checks a value that may be changed to one that is valid, along a key path: the form that Apple's
  /// has. See `validateValue(_:forKeyPath:)`.
  open func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKeyPath keyPath: String
  ) throws {
    guard let (owner, key) = try ownerToValidate(keyPath) else { return }
    try owner.validateValue(value, forKey: key)
  }

  /// Checks a new object before it is saved. Override to add rules, and call this too.
  ///
  /// - Throws: the one rule that is broken, or `NSValidationMultipleErrorsError` with all of them.
  open func validateForInsert() throws {
    if let error = ValidationErrors.combined(brokenRules()) { throw error }
  }

  /// Checks a changed object before it is saved. Override to add rules, and call this too.
  ///
  /// - Throws: the one rule that is broken, or `NSValidationMultipleErrorsError` with all of them.
  open func validateForUpdate() throws {
    if let error = ValidationErrors.combined(brokenRules()) { throw error }
  }

  /// Checks whether an object may be deleted: no relationship with the deny rule leads to an
  /// object that stays. Override to add rules, and call this too.
  open func validateForDelete() throws {
    if let error = ValidationErrors.combined(try deniedDeletions()) { throw error }
  }

  // MARK: Key-value access

  /// The value of a property, by its name; the values of a fault are filled in. What every object has,
  /// such as `objectID`, `entity` and `isInserted`, has a key too.
  ///
  /// - Returns: nil, an `NSNumber`, `String`, `Date`, `Data`, `UUID`, `URL`, `NSDecimalNumber`, a
  ///   managed object, an `NSSet` or `NSOrderedSet` of them, or a transformable's value. Numbers
  ///   cast to Swift's types: `value(forKey: "age") as? Int`.
  open func value(forKey key: String) -> Any? {
    if let slot = layout.slotNumbers[key] { return externalValue(slot) }
    if let key = StateKey(rawValue: key) { return key.value(of: self) }
    if let slot = layout.slot(readBy: key) { return externalValue(slot) }
    return value(forUndefinedKey: key)
  }

  /// Sets a property, by its name; the inverse of a relationship follows.
  ///
  /// As in Apple's key-value coding, which looks for a method `setDate:`, the first letter may be small or capital.
  ///
  /// A key that the model does not have, or a value of the wrong type, stops the program;
  /// `setValidatedValue(_:forKey:)` throws instead. For nil where a scalar may be meant,
  /// ``setNilValueForKey(_:)`` is called.
  open func setValue(_ value: Any?, forKey key: String) {
    guard let slot = layout.slot(setBy: key) else { return setValue(value, forUndefinedKey: key) }
    let key = layout.slots[slot].name
    if value == nil, layout.slots[slot].mayBeScalar { return setNilValueForKey(key) }
    setCheckedValue(value, forKey: key)
  }

  /// Called by `setValue(_:forKey:)` to set nil for an attribute that may be a scalar in the object's class;
  /// sets nil unless overridden. Override to set a value in its place, and call this for other keys.
  ///
  /// Those are the attributes that are numbers or truth values, but for those that the model says to be
  /// objects in code, and the dates that it says to be scalars.
  ///
  /// Compared to Apple's Core Data: which properties are scalars, Objective-C knows and Swift does not, so
  /// this is called for those of type `NSNumber?` too. Apple's raises an exception where nobody overrides it;
  /// here the attribute has no value then, and a scalar property reads 0.
  open func setNilValueForKey(_ key: String) {
    guard layout.slotNumbers[key] != nil else { return setValue(nil, forUndefinedKey: key) }
    setCheckedValue(nil, forKey: key)
  }

  /// The value at a key path: `team.name`, `players.@avg.age`. A mistake in the path stops the
  /// program.
  open func value(forKeyPath keyPath: String) -> Any? { readValue(atKeyPath: keyPath) }

  /// Sets the property at the end of a key path.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    writeValue(value, atKeyPath: keyPath)
  }

  /// The values of some keys, `NSNull` for none.
  open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    var values: [String: Any] = [:]
    for key in keys { values[key] = value(forKey: key) ?? NSNull() }
    return values
  }

  /// Sets properties by their names, in the order of the names; `NSNull` sets nil.
  open func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) {
      setValue(isNullObject(value) ? nil : value, forKey: key)
    }
  }

  /// The members of a to-many relationship as a set that shows and changes the relationship.
  ///
  /// Adding a member reads only what is needed to know whether it is there.
  ///
  /// Compared to Apple's Core Data: a cast to a Swift `Set` gives an empty one, because Foundation
  /// casts no subclass; use `value(forKey:)` or `allObjects`.
  open func mutableSetValue(forKey key: String) -> NSMutableSet {
    LiveSet(self, requireToMany(key, isOrdered: false))
  }

  /// The members of an ordered relationship as an ordered set that shows and changes it.
  open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    LiveOrderedSet.of(self, requireToMany(key, isOrdered: true))
  }

  /// The members of the to-many relationship at the end of a key path of to-one relationships, as
  /// a set that shows and changes it; where one of those leads nowhere, an empty set that is no
  /// relationship's.
  open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
    guard let (owner, key) = lastOwner(onKeyPath: keyPath) else { return NSMutableSet() }
    return owner.mutableSetValue(forKey: key)
  }

  /// The members of the ordered relationship at the end of a key path; see
  /// `mutableSetValue(forKeyPath:)`.
  open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
    guard let (owner, key) = lastOwner(onKeyPath: keyPath) else { return NSMutableOrderedSet() }
    return owner.mutableOrderedSetValue(forKey: key)
  }

  /// No property of a managed object is an array.
  @available(
    *, unavailable, message: "Use mutableSetValue(forKey:) or mutableOrderedSetValue(forKey:)"
  )
  public final func mutableArrayValue(forKey key: String) -> NSMutableArray { NSMutableArray() }

  private func requireToMany(_ key: String, isOrdered: Bool) -> Int {
    guard let slot = layout.slot(named: key), slot.kind == .toMany,
      slot.relationship?.isOrdered == isOrdered
    else {
      stopProgram("\(layout.name).\(key) is no \(isOrdered ? "ordered " : "")to-many relationship")
    }
    return slot.index
  }

  // MARK: Accessors that a program writes itself

  /// Fills the values in before an accessor reads them; any key, or none, fills in all.
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

  /// The keys of which a value is made: none.
  ///
  /// Compared to Apple's Core Data: nobody asks for them, since keys are not observed; overrides build as they stand.
  /// Who observes an object (`withObservationTracking`) is told of what the value is made of where it is read.
  open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

  /// Says that an accessor has read a value.
  open func didAccessValue(forKey key: String?) {}

  /// Announces that an accessor will change a value.
  open func willChangeValue(forKey key: String) { announceChange(forKey: key) }

  /// Says that an accessor has changed a value: the inverse of a relationship follows, and the
  /// context knows of the change.
  open func didChangeValue(forKey key: String) { completeChange(forKey: key) }

  /// Announces that an accessor will change the members of a to-many relationship.
  open func willChangeValue(
    forKey key: String, withSetMutation mutation: NSKeyValueSetMutationKind,
    using objects: Set<AnyHashable>
  ) {
    announceChange(forKey: key)
  }

  /// Says that an accessor has changed the members of a to-many relationship.
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

  /// Says that an accessor has changed members of an ordered relationship.
  open func didChange(_ change: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
    completeChange(forKey: key)
  }

  /// The value that the object itself holds, for accessors.
  ///
  /// Of a to-many relationship it is an `NSMutableSet` or `NSMutableOrderedSet`; what is done to one
  /// that was read after `willChangeValue(forKey:)` is taken over by `didChangeValue(forKey:)`.
  open func primitiveValue(forKey key: String) -> Any? {
    guard let slot = layout.slotNumbers[key] else { return value(forUndefinedKey: key) }
    return primitive(slot)
  }

  /// Sets the value that the object itself holds: no inverse follows, and the context is not told.
  ///
  /// A value of the wrong type stops the program.
  open func setPrimitiveValue(_ value: Any?, forKey key: String) {
    guard let slot = layout.slotNumbers[key] else {
      return setValue(value, forUndefinedKey: key)
    }
    stoppingAtMistakes { try setPrimitive(value, slot) }
  }

  // MARK: What was changed

  /// The new values of stored properties that differ from what was fetched or saved, `NSNull` for
  /// none; nothing for a fault.
  ///
  /// What `setPrimitiveValue(_:forKey:)` sets is no change of an object without others. It is saved with the next
  /// change of the object, and is among the changed values from then on.
  open func changedValues() -> [String: Any] {
    requireQueue()
    return changedValuesByName()
  }

  /// The former values of properties that were set since changes were processed last. Asked in an observer
  /// of `NSManagedObjectContextObjectsDidChange`, those of the changes that the notification tells of.
  open func changedValuesForCurrentEvent() -> [String: Any] {
    requireQueue()
    return formerValuesOfEvent()
  }

  /// The values that were fetched or saved last, `NSNull` for none: of all stored properties with
  /// nil. An object that was never saved has only `NSNull`, and nothing for keys that are given.
  open func committedValues(forKeys keys: [String]?) -> [String: Any] {
    requireQueue()
    return committedValuesByName(keys)
  }

  // MARK: Faults

  /// 0 for an object whose values are in use, another number for a fault.
  open var faultingState: Int { isFault ? 1 : 0 }

  /// Whether following a relationship would read something. Nothing is read to tell.
  open func hasFault(forRelationshipNamed key: String) -> Bool {
    requireQueue()
    guard let slot = layout.slot(named: key), slot.relationship != nil else { return false }
    return isUnread(slot.index)
  }

  /// The IDs of a relationship's destinations, without making objects for them.
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

  /// Whether changes of properties that the model does not have leave the object without changes.
  open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

  /// Called for a key that the entity does not have; stops the program unless overridden. Where a predicate or
  /// expression asks for the key, its evaluation fails instead.
  open func value(forUndefinedKey key: String) -> Any? {
    if flags.contains(.recording) {
      KeyPathProbe.noteUnknownKey()
      return nil
    }
    if flags.contains(.readsUndefinedKey) {
      state.noteLackOfKey()
      return nil
    }
    stopProgram(layout.undefinedKeyMessage(key))
  }

  /// Called for a key that the entity does not have; stops the program unless overridden.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    stopProgram(layout.undefinedKeyMessage(key))
  }

  open override var description: String {
    let state = isFault ? "<fault>" : "\(propertyDescriptions)"
    return
      "<\(layout.entity.managedObjectClassName ?? "NSManagedObject")> (entity: \(layout.name); id: \(objectID.uriRepresentation().absoluteString); data: \(state))"
  }

  private var propertyDescriptions: String {
    let attributes = layout.slots.filter {
      $0.composite == nil && ($0.storage != nil || $0.kind == .composite)
    }
    let parts = attributes.map(\.index).map { slot in
      let value = externalValue(slot)
      // Foundation cannot print a date that is none.
      if let date = value as? Date, !date.timeIntervalSinceReferenceDate.isFinite {
        return "\(layout.slots[slot].name) = (no date)"
      }
      return "\(layout.slots[slot].name) = \(MessageText.description(of: value))"
    }
    return "{ " + parts.joined(separator: "; ") + " }"
  }
}

extension NSManagedObject: NSFetchRequestResult {}
