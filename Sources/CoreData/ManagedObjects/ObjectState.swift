/// Where a managed object stands: the row that it was read from, what lies over that row, and what the next save is to
/// do with it.
///
/// It changes only by the transitions below, which say what happened to the object; the context's lists of changed
/// objects are the caller's matter. A transition changes the flags first: what it releases may run code of the program.
///
/// It lies in its object, which has a property for each of its parts (`object.snapshot`). A method that only reads would
/// be passed a copy, which counts references: `checkInvariants(of:)`, which tests call, is the only one.
struct ObjectState {
  // In this order nothing is lost to alignment, here or in the object.

  /// What lies over the row, by slot; empty while the row says everything.
  private(set) var contents: [SlotContent] = []
  /// The row as the store has it.
  private(set) var snapshot = RowSnapshot.none
  private(set) var flags: Flags = []

  init() {}

  struct Flags: OptionSet {
    let rawValue: UInt16
    static let fault = Flags(rawValue: 1)
    static let inserted = Flags(rawValue: 2)
    static let updated = Flags(rawValue: 4)
    static let deleted = Flags(rawValue: 8)
    /// The delete rules were carried out.
    static let propagated = Flags(rawValue: 16)
    /// The row was found to be gone when the fault was to be filled.
    static let inaccessible = Flags(rawValue: 32)
    /// The object belongs to a ``KeyPathProbe``, which makes its values up.
    static let recording = Flags(rawValue: 64)
    /// Something was set since changes were processed last.
    static let touched = Flags(rawValue: 128)
    /// A property was read by an observer, which is to be notified of changes.
    static let observed = Flags(rawValue: 256)
    /// Is among the pending changes, and these will be processed: another change needs no noting.
    static let noted = Flags(rawValue: 512)
    /// An expression reads a key that the entity does not have.
    static let readsUndefinedKey = Flags(rawValue: 1024)
    /// The class does not have that key either.
    static let lacksKey = Flags(rawValue: 2048)
    /// The context released the object, and its store has been notified.
    static let released = Flags(rawValue: 4096)

    // What an option set has of its own compares by way of protocols.
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

  /// It is a new fault; its row was read, or is read when it is needed.
  @inline(__always)
  mutating func becameFault(of row: consuming RowSnapshot) {
    flags = .fault
    snapshot = row
  }

  /// Everything but its identity was let go.
  mutating func turnedIntoFault() {
    add(.fault)
    contents = []
    snapshot = .none
  }

  /// A new object, which has no row to be read again, has its default values.
  mutating func turnedIntoFaultOfDefaults() {
    add(.fault)
    contents = []
  }

  /// Its row could not be read again: the next access finds out why.
  mutating func needsItsRow() { add(.fault) }

  @inline(__always)
  mutating func wasFilled() { drop(.fault) }

  /// The row was looked for and is not there.
  mutating func rowIsMissing() { add(.inaccessible) }

  /// A fault outside of a context has no values and never gets any.
  mutating func isLeftWithoutValues() {
    drop(.fault)
    add(.inaccessible)
  }

  /// There may be a row: whoever needs it looks again.
  @inline(__always)
  mutating func rowMayBeThere() { drop(.inaccessible) }

  // MARK: The row

  /// Its row was read; what was set stays over it.
  @inline(__always)
  mutating func rowWasRead(_ row: consuming RowSnapshot) { snapshot = row }

  /// Its row is read when it is needed, with those of a group, or is gone; what was set stays.
  mutating func rowIsUnknown(_ group: FaultGroup? = nil) {
    snapshot = group.map(RowSnapshot.pending) ?? .none
  }

  /// A fetch brought the row of a fault. What was made from another row goes; changes stay.
  mutating func rowWasFetched(_ row: RowSnapshot) {
    drop(.inaccessible)
    snapshot = row
    if row.isPresent, flags.isDisjoint(with: [.updated, .deleted]) { contents = [] }
  }

  /// The present row was put under its changes: what is no change goes, and members are read again.
  ///
  /// - Parameter changed: by slot, whether its value differs from the former row.
  mutating func wasRebased(keeping changed: [Bool]) {
    contents = contents.enumerated().map { slot, content in
      switch content {
      case .written, .writtenObject: changed[slot] ? content : .unread
      case .toMany(let members): members.forgetStored() ? content : .unread
      default: .unread
      }
    }
  }

  // MARK: What lies over the row

  @inline(__always)
  mutating func set(_ slot: Int, _ content: SlotContent, in layout: EntityLayout) {
    if contents.isEmpty { contents = Array(repeating: .unread, count: layout.slots.count) }
    contents[slot] = content
  }

  /// The row says again what a slot holds.
  mutating func forget(_ slot: Int) {
    if !contents.isEmpty { contents[slot] = .unread }
  }

  /// Members that were read are read again when they are needed; what was changed of them stays.
  mutating func forgetReadMembers(_ slot: Int) {
    if !contents.isEmpty, case .toMany(let members) = contents[slot], !members.forgetStored() {
      contents[slot] = .unread
    }
  }

  /// Whatever was done to one member of a to-many relationship is taken back; the members are read again when they
  /// are needed.
  mutating func forgetMember(_ member: NSManagedObject, of slot: Int) {
    guard !contents.isEmpty, case .toMany(let members) = contents[slot] else { return }
    members.forget(member)
    forgetReadMembers(slot)
  }

  // MARK: Unsaved changes

  /// It is a new object, whatever it was before.
  mutating func becameInserted() { flags = .inserted }

  /// It is a new object with the values that it had before its row went.
  mutating func becameInserted(with contents: [SlotContent]) {
    flags = .inserted
    snapshot = .none
    self.contents = contents
  }

  /// It is to be inserted as well as what else it is.
  mutating func isInsertedAgain() { add(.inserted) }

  /// It is not to be inserted before it is known whether its row is there.
  mutating func insertionIsInDoubt() { drop(.inserted) }

  mutating func becameUpdated() { add(.updated) }

  /// What was changed is as it was, or is dropped.
  mutating func changesEnded() { drop([.updated, .noted]) }

  mutating func isAsTheRowSays() { drop(.updated) }

  /// Something was set; `isNoted` says that it is among the pending changes, and these will be processed.
  @inline(__always)
  mutating func wasTouched(isNoted: Bool = false) { add(isNoted ? [.touched, .noted] : .touched) }

  /// The next change is to be noted again.
  mutating func needsNoting() { drop(.noted) }

  /// Changes were processed.
  @inline(__always)
  mutating func eventEnded() { drop([.touched, .noted]) }

  // MARK: Deletion

  /// It is to be deleted, and its delete rules are to be carried out.
  mutating func becameDeleted() {
    add(.deleted)
    drop(.propagated)
  }

  /// It counts as deleted, and has no delete rules to carry out.
  mutating func becameDeletedWithRules() { add([.deleted, .propagated]) }

  /// Another save deleted its row and carried out its delete rules.
  mutating func wasDeletedElsewhere() {
    drop([.inserted, .updated])
    add([.deleted, .propagated])
  }

  /// Its row is gone, and the context treats it as deleted.
  mutating func isDeletedWithoutRow() {
    drop([.fault, .updated])
    add([.deleted, .propagated])
    contents = []
  }

  mutating func deleteRulesAreDue() { drop(.propagated) }
  mutating func deleteRulesAreDone() { add(.propagated) }

  /// Its deletion was taken back; what was changed of it before is to be saved.
  mutating func deletionEnded() { drop([.deleted, .propagated]) }

  /// Its deletion and its changes, if there were any, were taken back: nothing lies over its row.
  mutating func returnedToItsRow() {
    drop([.deleted, .propagated, .updated])
    contents = []
  }

  /// A child's save wants it to be there, with the child's values.
  mutating func wasBroughtBack() { drop([.deleted, .propagated, .inaccessible, .fault]) }

  /// Another save inserted its row again.
  ///
  /// - Parameter isDeleted: whether it is to be deleted all the same.
  mutating func rowIsThereAgain(isDeleted: Bool) {
    drop([.propagated, .inaccessible])
    if !isDeleted { drop(.deleted) }
  }

  // MARK: Saving

  /// The store has these values, which are the present ones. Besides, the object keeps what they do not say:
  /// transient values, and objects that would have to be found or made again.
  mutating func valuesWereSaved(_ values: [StoredValue], version: Int32, in layout: EntityLayout) {
    snapshot = .values(values, version)
    if contents.isEmpty { return }
    // They change in place, as nothing else holds them; what ends meanwhile finds the object as its row says.
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
    if !isPlain { contents = kept }
  }

  /// The store computed some of its values: all of them are to be read again. Transient ones stay.
  mutating func savedValuesAreOutdated(in layout: EntityLayout) {
    snapshot = .none
    let hasTransients = !contents.isEmpty && layout.slots.contains(where: \.isTransient)
    contents =
      hasTransients ? layout.slots.map { $0.isTransient ? contents[$0.index] : .unread } : []
  }

  /// The save wrote what was inserted or changed.
  @inline(__always)
  mutating func wasSaved() { drop([.inserted, .updated]) }

  /// Its values stay until observers know of it.
  mutating func deletionWasSaved() {
    drop([.deleted, .updated, .propagated])
    add(.fault)
  }

  // MARK: Without a context

  /// It is a fault that can no longer be filled.
  mutating func leftContext() {
    flags = [.fault, .released]
    contents = []
    snapshot = .none
  }

  /// It was never saved, and will not be. It keeps its attributes, as no store has them, but not the objects that it
  /// leads to, which may lead back here in circles.
  mutating func leftContextUnsaved(in layout: EntityLayout) {
    flags = .released
    if contents.isEmpty { return }
    contents = layout.slots.map { slot in
      if case .attribute = slot.kind { contents[slot.index] } else { .unread }
    }
  }

  /// It is as if it were just made.
  mutating func startsOver() { self = ObjectState() }

  /// What ``startsOver()`` did is taken back.
  mutating func returned(to former: ObjectState) { self = former }

  /// The object ends.
  @inline(__always)
  mutating func ends() {
    if !contents.isEmpty { EndingReferences.release(&contents) }
  }

  // MARK: What others want to know of it

  @inline(__always)
  mutating func observationBegan() { add(.observed) }
  @inline(__always)
  mutating func observationEnded() { drop(.observed) }

  mutating func becameRecording() { add(.recording) }

  /// An expression reads a key that the entity does not have; such reads may be nested.
  ///
  /// - Returns: what `endReadingUndefinedKey(_:)` needs.
  mutating func beginReadingUndefinedKey() -> Flags {
    let before = flags.intersection([.readsUndefinedKey, .lacksKey])
    drop(.lacksKey)
    add(.readsUndefinedKey)
    return before
  }

  mutating func noteLackOfKey() { add(.lacksKey) }

  /// Ends a read, and goes on with the one around it.
  mutating func endReadingUndefinedKey(_ before: Flags) {
    drop([.readsUndefinedKey, .lacksKey])
    add(before)
  }

  // MARK: Checking

  /// Returns what can never be, in words; nil for a state that can.
  ///
  /// A fault may have contents: changes that followed from other objects, and what was made from a row that was read
  /// without filling the fault. A new object may have a row: a child's save brought it back after it was deleted above.
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
          return "it is without the row from which \(slot.name) was made"
        }
      case (.toMany, .toMany(let members))
      where members.isOrdered == (slot.relationship?.isOrdered ?? false):
        if let fault = members.checkInvariants() { return "\(slot.name): \(fault)" }
      default: return "the content of \(slot.name) is of another kind"
      }
    }
    return nil
  }
}
