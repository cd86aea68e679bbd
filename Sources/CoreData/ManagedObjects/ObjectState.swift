/// The state of a managed object: the row that it was read from, the values that replace the row's,
/// and the changes for the next save.
///
/// It changes only by the transitions below, which are named after what happened to the object. The
/// caller updates the context's lists of changed objects. A transition changes the flags first,
/// because releasing values may run code of the program.
///
/// Code reads the parts through properties of the object (`object.snapshot`), because calling a method that
/// only reads would copy the state and count references. The only such method is `checkInvariants(of:)`,
/// which tests call.
struct ObjectState {
  // This order avoids padding, here and in the object.

  /// The values that replace those of the row, by slot; empty if there are none.
  private(set) var contents: [SlotContent] = []
  /// The row as it was read from the store.
  private(set) var snapshot = RowSnapshot.none
  private(set) var flags: Flags = []

  init() {}

  struct Flags: OptionSet {
    let rawValue: UInt16
    static let fault = Flags(rawValue: 1)
    static let inserted = Flags(rawValue: 2)
    static let updated = Flags(rawValue: 4)
    static let deleted = Flags(rawValue: 8)
    /// The object's delete rules were carried out.
    static let propagated = Flags(rawValue: 16)
    /// The fault could not be filled, because its row is gone or the object has no context.
    static let inaccessible = Flags(rawValue: 32)
    /// The object belongs to a ``KeyPathProbe``, which makes sample values for it.
    static let recording = Flags(rawValue: 64)
    /// A value was set since changes were last processed.
    static let touched = Flags(rawValue: 128)
    /// An observer has read a property and must be notified of changes.
    static let observed = Flags(rawValue: 256)
    /// The object is in the pending changes, which will be processed: no further change needs recording.
    static let noted = Flags(rawValue: 512)
    /// An expression is reading a key that the entity does not have.
    static let readsUndefinedKey = Flags(rawValue: 1024)
    /// The class does not have the key that is being read either.
    static let lacksKey = Flags(rawValue: 2048)
    /// The context released the object, and its store has been notified.
    static let released = Flags(rawValue: 4096)

    // The default implementations of OptionSet compare through protocols.
    @inline(__always)
    static func == (one: Flags, other: Flags) -> Bool { one.rawValue == other.rawValue }
    @inline(__always)
    func contains(_ other: Flags) -> Bool { rawValue & other.rawValue == other.rawValue }
    @inline(__always)
    func isDisjoint(with other: Flags) -> Bool { rawValue & other.rawValue == 0 }
  }

  @inline(__always)
  private mutating func add(_ other: Flags) {
    flags = Flags(rawValue: flags.rawValue | other.rawValue)
  }
  @inline(__always)
  private mutating func drop(_ other: Flags) {
    flags = Flags(rawValue: flags.rawValue & ~other.rawValue)
  }

  // MARK: Values

  /// Records that the object is a new fault, whose row was read, or will be read when it is needed.
  @inline(__always)
  mutating func becameFault(of row: consuming RowSnapshot) {
    flags = .fault
    snapshot = row
  }

  /// Records that the object became a fault. Releases everything but its identity.
  mutating func turnedIntoFault() {
    add(.fault)
    contents = []
    snapshot = .none
  }

  /// Records that an unsaved object became a fault, which is filled with default values, because it has no row.
  mutating func turnedIntoUnsavedFault() {
    add(.fault)
    contents = []
  }

  /// Records that the row could not be read again. The next access to the object tries again and reports why it fails.
  mutating func rowCouldNotBeRead() { add(.fault) }

  /// Records that the fault was filled.
  @inline(__always)
  mutating func faultWasFilled() { drop(.fault) }

  /// Records that the row does not exist.
  mutating func rowIsMissing() { add(.inaccessible) }

  /// Records that the object, a fault without a context, cannot be filled.
  mutating func lostItsValues() {
    drop(.fault)
    add(.inaccessible)
  }

  /// Records that the row may exist again. The next access looks it up.
  @inline(__always)
  mutating func rowMayExist() { drop(.inaccessible) }

  // MARK: The row

  /// Records the row that was read. Values that were set stay.
  @inline(__always)
  mutating func rowWasRead(_ row: consuming RowSnapshot) { snapshot = row }

  /// Records that the row is gone, or will be read together with the rows of a group when it is needed. Values that
  /// were set stay.
  mutating func rowIsUnknown(_ group: FaultGroup? = nil) {
    snapshot = group.map(RowSnapshot.pending) ?? .none
  }

  /// Records the row that a fetch read for a fault. Releases values made from another row; changes stay.
  mutating func rowWasFetched(_ row: RowSnapshot) {
    drop(.inaccessible)
    snapshot = row
    if row.isPresent, flags.isDisjoint(with: [.updated, .deleted]) { contents = [] }
  }

  /// Records that the current row replaced the one under the object's changes. Discards values that are not changes;
  /// members are read again.
  ///
  /// - Parameter changed: Whether the value of each slot's property differs from the one in the former row.
  mutating func wasRebased(keeping changed: [Bool]) {
    contents = contents.enumerated().map { slot, content in
      switch content {
      case .written, .writtenObject: changed[slot] ? content : .unread
      case .toMany(let members): members.forgetStored() ? content : .unread
      default: .unread
      }
    }
  }

  // MARK: Values that replace the row's

  @inline(__always)
  mutating func set(_ slot: Int, _ content: SlotContent, in layout: EntityLayout) {
    if contents.isEmpty { contents = Array(repeating: .unread, count: layout.slots.count) }
    contents[slot] = content
  }

  /// Discards the content of a slot, so that the row determines its value again.
  mutating func forget(_ slot: Int) {
    if !contents.isEmpty { contents[slot] = .unread }
  }

  /// Discards the members that were read. Changes stay.
  mutating func forgetReadMembers(_ slot: Int) {
    if !contents.isEmpty, case .toMany(let members) = contents[slot], !members.forgetStored() {
      contents[slot] = .unread
    }
  }

  /// Reverts the changes of one member of a to-many relationship, and discards the members read.
  mutating func forgetMember(_ member: NSManagedObject, of slot: Int) {
    guard !contents.isEmpty, case .toMany(let members) = contents[slot] else { return }
    members.forget(member)
    forgetReadMembers(slot)
  }

  // MARK: Unsaved changes

  /// Records that the object is new, whatever it was before.
  mutating func becameInserted() { flags = .inserted }

  /// Records that the object is new, with the values that it had before its row was deleted.
  mutating func becameInserted(with contents: [SlotContent]) {
    flags = .inserted
    snapshot = .none
    self.contents = contents
  }

  /// Records that the next save inserts the object. Its other state stays.
  mutating func isInsertedAgain() { add(.inserted) }

  /// Records that a row of the new object may exist, so that it can be read.
  mutating func insertionIsInDoubt() { drop(.inserted) }

  /// Records that the next save updates the object's row.
  mutating func becameUpdated() { add(.updated) }

  /// Records that the object's changes were reverted or discarded.
  mutating func changesEnded() { drop([.updated, .noted]) }

  /// Records that the object has no changes, because its values are those of its row.
  mutating func matchesItsRow() { drop(.updated) }

  /// Records that a value was set.
  ///
  /// - Parameter isNoted: Whether the object is among the pending changes, which will be processed.
  @inline(__always)
  mutating func wasTouched(isNoted: Bool = false) { add(isNoted ? [.touched, .noted] : .touched) }

  /// Records that the context has to note the object's next change.
  mutating func needsNoting() { drop(.noted) }

  /// Records that the context processed the object's changes.
  @inline(__always)
  mutating func eventEnded() { drop([.touched, .noted]) }

  // MARK: Deletion

  /// Records that the object was deleted, and that its delete rules are due.
  mutating func becameDeleted() {
    add(.deleted)
    drop(.propagated)
  }

  /// Records that the object counts as deleted, and that its delete rules are carried out.
  mutating func becameDeletedWithRules() { add([.deleted, .propagated]) }

  /// Records that another save deleted the row and carried out its delete rules.
  mutating func wasDeletedElsewhere() {
    drop([.inserted, .updated])
    add([.deleted, .propagated])
  }

  /// Records that the row is gone, and that the context treats the object as deleted.
  mutating func isDeletedWithoutRow() {
    drop([.fault, .updated])
    add([.deleted, .propagated])
    contents = []
  }

  /// Records that the object's delete rules have to be carried out.
  mutating func deleteRulesAreDue() { drop(.propagated) }
  /// Records that the object's delete rules were carried out.
  mutating func deleteRulesAreDone() { add(.propagated) }

  /// Records that the object's deletion was reverted. Its earlier changes are unsaved again.
  mutating func deletionEnded() { drop([.deleted, .propagated]) }

  /// Records that the object's deletion and changes were reverted, so that its values are those of its row.
  mutating func returnedToItsRow() {
    drop([.deleted, .propagated, .updated])
    contents = []
  }

  /// Records that a child's save restored the object, with the child's values.
  mutating func wasRestoredByChild() { drop([.deleted, .propagated, .inaccessible, .fault]) }

  /// Records that another save inserted the row again.
  ///
  /// - Parameter isDeleted: Whether the object stays deleted.
  mutating func rowWasInsertedAgain(isDeleted: Bool) {
    drop([.propagated, .inaccessible])
    if !isDeleted { drop(.deleted) }
  }

  // MARK: Saving

  /// Records the saved values as the object's row. Keeps what they do not contain: transient values, and
  /// objects that would have to be looked up or made again.
  mutating func valuesWereSaved(_ values: [StoredValue], version: Int32, in layout: EntityLayout) {
    snapshot = .values(values, version)
    if contents.isEmpty { return }
    // The contents are emptied while they are changed. If releasing a value runs code that uses the object, that code
    // sees the row.
    var kept: [SlotContent] = []
    swap(&kept, &contents)
    var isPlain = true
    for slot in kept.indices {
      switch kept[slot] {
      case .unread: continue
      case .written(.object(let value)) where !layout.slots[slot].isTransient:
        kept[slot] = .cached(.object(value))
      case .written where !layout.slots[slot].isTransient, .writtenObject(nil):
        kept[slot] = .unread
        continue
      case .writtenObject(let object?): kept[slot] = .cachedObject(object)
      case .toMany(let members): members.didSave()
      case .written, .cached, .cachedObject: break
      }
      isPlain = false
    }
    // Without contents, reads take values directly from the row.
    if !isPlain { contents = kept }
  }

  /// Records that the store computed some of the saved values, so that all are read again. Transient values stay.
  mutating func savedValuesAreOutdated(in layout: EntityLayout) {
    snapshot = .none
    let hasTransients = !contents.isEmpty && layout.slots.contains(where: \.isTransient)
    contents =
      hasTransients ? layout.slots.map { $0.isTransient ? contents[$0.index] : .unread } : []
  }

  /// Records that a save wrote the object's insertion or update.
  @inline(__always)
  mutating func wasSaved() { drop([.inserted, .updated]) }

  /// Records that the deletion was saved. The values stay until observers have been notified.
  mutating func deletionWasSaved() {
    drop([.deleted, .updated, .propagated])
    add(.fault)
  }

  // MARK: Without a context

  /// Records that the object left its context, as a fault that can no longer be filled.
  mutating func leftContext() {
    flags = [.fault, .released]
    contents = []
    snapshot = .none
  }

  /// Records that the object left its context, unsaved. It keeps its attributes, because no store has them, but not
  /// its destinations, which may refer back to it.
  mutating func leftContextUnsaved(in layout: EntityLayout) {
    flags = .released
    if contents.isEmpty { return }
    contents = layout.slots.map { slot in
      if case .attribute = slot.kind { contents[slot.index] } else { .unread }
    }
  }

  /// Resets the state to that of a new instance.
  mutating func wasReset() { self = ObjectState() }

  /// Restores the state that ``wasReset()`` has reset.
  mutating func wasRestored(to former: ObjectState) { self = former }

  /// Releases the values, because the object is being deallocated.
  @inline(__always)
  mutating func ends() {
    if !contents.isEmpty { EndingReferences.release(&contents) }
  }

  // MARK: Observation and probing

  /// Records that an observer has read a property.
  @inline(__always)
  mutating func observationBegan() { add(.observed) }
  /// Records that observers need no notification until one reads a property again.
  @inline(__always)
  mutating func observationEnded() { drop(.observed) }

  /// Records that the object belongs to a ``KeyPathProbe``.
  mutating func becameRecording() { add(.recording) }

  /// Records that an expression begins to read a key that the entity does not have. Such reads may be nested.
  ///
  /// - Returns: The argument for `endReadingUndefinedKey(_:)`.
  mutating func beginReadingUndefinedKey() -> Flags {
    let before = flags.intersection([.readsUndefinedKey, .lacksKey])
    drop(.lacksKey)
    add(.readsUndefinedKey)
    return before
  }

  /// Records that the class does not have the key either.
  mutating func noteMissingKey() { add(.lacksKey) }

  /// Ends a read, and restores the state of the outer one.
  mutating func endReadingUndefinedKey(_ before: Flags) {
    drop([.readsUndefinedKey, .lacksKey])
    add(before)
  }

  // MARK: Checking

  /// Returns a description of an inconsistency in the state, or nil.
  ///
  /// A fault may have contents: changes that followed from other objects, and values made from a
  /// row that was read without filling the fault. A new object may have a row: it was deleted, and
  /// a child's save brought it back.
  func checkInvariants(of layout: EntityLayout) -> String? {
    if flags.contains([.inserted, .updated]) { return "it is inserted and updated" }
    if flags.contains([.inserted, .inaccessible]) {
      return "it is inserted, and its row is missing"
    }
    if flags.contains(.propagated), !flags.contains(.deleted) {
      return "its delete rules were carried out without a deletion"
    }
    if flags.contains(.noted), !flags.contains(.touched) { return "it is noted without a change" }
    if case .values(let values, _) = snapshot, values.count < layout.slots.count {
      return "its row has \(values.count) values"
    }
    let needsRow = !snapshot.isPresent && flags.isDisjoint(with: [.inserted, .inaccessible])
    if needsRow, !flags.contains(.fault) { return "it is in use without a row" }
    if contents.isEmpty { return nil }
    if contents.count != layout.slots.count { return "it has \(contents.count) contents" }
    for slot in layout.slots {
      switch (slot.kind, contents[slot.index]) {
      case (_, .unread), (.attribute, .written), (.toOne, .writtenObject): break
      case (.attribute, .cached), (.toOne, .cachedObject), (.fetched, .cached):
        if needsRow, !slot.isTransient {
          return "it lacks the row from which \(slot.name) was made"
        }
      case (.toMany, .toMany(let members))
      where members.isOrdered == (slot.relationship?.isOrdered ?? false):
        if let problem = members.checkInvariants() { return "\(slot.name): \(problem)" }
      default: return "the content of \(slot.name) is of the wrong kind"
      }
    }
    return nil
  }
}
