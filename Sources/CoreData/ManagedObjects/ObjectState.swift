/// Where a managed object stands: whether it has values, and what the next save is to do with it.
///
/// It changes only by the transitions below, which say what happened to the object; the context's lists of changed
/// objects are the caller's matter.
struct ObjectState {
  private(set) var flags: Flags

  @inline(__always)
  init(isFault: Bool = false) { flags = isFault ? .fault : [] }

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
    /// The object belongs to a ``KeyPathProbe``, which answers for it.
    static let recording = Flags(rawValue: 64)
    /// Something was set since changes were processed last.
    static let touched = Flags(rawValue: 128)
    /// A property was read by an observer, which is to be notified of changes.
    static let observed = Flags(rawValue: 256)
    /// Is among the pending changes, and these will be processed: another change needs no noting.
    static let noted = Flags(rawValue: 512)
    /// An expression asks for a key that the entity does not have.
    static let asked = Flags(rawValue: 1024)
    /// The class does not have the key that was asked for either.
    static let unanswered = Flags(rawValue: 2048)

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

  @inline(__always)
  mutating func turnedIntoFault() { add(.fault) }

  @inline(__always)
  mutating func wasFilled() { drop(.fault) }

  /// The row was looked for and is not there.
  mutating func rowIsMissing() { add(.inaccessible) }

  /// A fault outside of a context has no values and never gets any.
  mutating func isLeftWithoutValues() {
    drop(.fault)
    add(.inaccessible)
  }

  /// There may be a row, or is one: whoever needs it looks again.
  @inline(__always)
  mutating func rowMayBeThere() { drop(.inaccessible) }

  // MARK: Unsaved changes

  /// It is a new object, whatever it was before.
  mutating func becameInserted() { flags = .inserted }

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
  }

  mutating func deleteRulesAreDue() { drop(.propagated) }
  mutating func deleteRulesAreDone() { add(.propagated) }

  /// Its deletion was taken back; what was changed of it before is to be saved.
  mutating func deletionEnded() { drop([.deleted, .propagated]) }

  /// Its deletion and its changes were taken back.
  mutating func returnedToItsRow() { drop([.deleted, .propagated, .updated]) }

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

  @inline(__always)
  mutating func wasSaved() { drop([.inserted, .updated]) }

  mutating func deletionWasSaved() {
    drop([.deleted, .updated, .propagated])
    add(.fault)
  }

  // MARK: What others want to know of it

  @inline(__always)
  mutating func observationBegan() { add(.observed) }
  @inline(__always)
  mutating func observationEnded() { drop(.observed) }

  mutating func becameRecording() { add(.recording) }

  /// An expression asks for a key that the entity does not have; questions may come in the middle of others.
  ///
  /// - Returns: what `endQuestion(_:)` needs.
  mutating func beginQuestion() -> Flags {
    let before = flags.intersection([.asked, .unanswered])
    drop(.unanswered)
    add(.asked)
    return before
  }

  mutating func questionIsUnanswered() { add(.unanswered) }

  /// Ends a question; goes on with the one that it came in.
  mutating func endQuestion(_ before: Flags) {
    drop([.asked, .unanswered])
    add(before)
  }

  // MARK: Checking

  /// Returns what of the state can never be, or nil.
  func checkInvariants() -> String? {
    if flags.contains([.inserted, .updated]) { return "it is inserted and updated" }
    if flags.contains(.propagated), !flags.contains(.deleted) {
      return "its delete rules were carried out without a deletion"
    }
    if flags.contains(.noted), !flags.contains(.touched) { return "it is noted without a change" }
    return nil
  }
}
