import Foundation
import ObjectModel
import StoreEngine

extension NSManagedObject {
  // MARK: Reading

  /// Fills the values in, if the object is a fault.
  ///
  /// - Throws: when the row is gone or cannot be read.
  @inline(__always)
  func fire() throws {
    if flags.contains(.fault) { try fill() }
  }

  @inline(never)
  private func fill() throws {
    try readRow()
    state.wasFilled()
    // A new object that was refreshed has its default values; nothing was fetched.
    if flags.contains(.inserted) { return }
    guard let quiet = table?.quiet else { return awakeFromFetch() }
    quiet.pointee += 1
    awakeFromFetch()
    quiet.pointee -= 1
  }

  /// Sees to it that the row is in memory; the object stays a fault to its users.
  @inline(__always)
  func readRow() throws {
    if flags.contains(.fault), !snapshot.isPresent, !flags.contains(.inserted) {
      try readMissingRow()
    }
  }

  @inline(never)
  private func readMissingRow() throws {
    guard let context = unsafeContext else {
      throw CoreDataError.make(
        NSManagedObjectReferentialIntegrityError,
        "the object \(objectID) no longer belongs to a context; its values cannot be read")
    }
    try context.readRow(of: self)
  }

  /// The value of an attribute in its stored form.
  func storedValue(_ slot: Int) throws -> StoredValue {
    try readRow()
    if !contents.isEmpty {
      switch contents[slot] {
      case .written(let value), .cached(let value): return value
      default: break
      }
    }
    return unwrittenValue(layout.slots[slot])
  }

  /// What a slot holds while nobody has set it.
  private func unwrittenValue(_ slot: PropertySlot) -> StoredValue {
    if flags.contains(.inaccessible) { return .null }
    if !snapshot.isPresent || slot.isTransient { return AttributeCodec.defaultValue(slot) }
    return snapshot.value(of: slot, in: layout, origin: origin)
  }

  /// The value that the store has, for a slot that it keeps.
  func committedValue(_ slot: PropertySlot) -> StoredValue {
    snapshot.value(of: slot, in: layout, origin: origin)
  }

  /// Whether a slot's value differs from what the store has.
  func isChanged(_ slot: PropertySlot) -> Bool {
    guard !contents.isEmpty else { return false }
    switch contents[slot.index] {
    case .unread, .cached, .cachedObject: return false
    case .written(let value):
      if slot.isTransient { return true }
      // A value that cannot be transformed is a change, which fails when it is saved.
      guard let stored = try? AttributeCodec.stored(value, slot) else { return true }
      // A value that cannot be read reads as NULL; writing NULL removes it from the row.
      if stored.isNull { return snapshot.hasValue(of: slot, in: layout) }
      return stored != committedValue(slot)
    case .writtenObject(let object):
      guard case .reference(let id) = committedValue(slot) else { return object != nil }
      return object.map { !id.names($0) } ?? true
    case .toMany(let content): return content.isChanged
    }
  }

  /// Deleted, and those that referred to it know.
  var isDeletedForGood: Bool { flags.isSuperset(of: [.deleted, .propagated]) }

  // MARK: Writing

  func setContent(_ slot: Int, _ content: SlotContent) {
    if contents.isEmpty {
      contents = Array(repeating: .unread, count: layout.slots.count)
    }
    contents[slot] = content
  }

  /// Sets an attribute, and notes the change in the context.
  func setStoredValue(_ slot: Int, _ value: StoredValue) {
    willChangeContent(slot)
    setContent(slot, .written(value))
    noteChange()
  }

  /// Lets go of everything but the identity.
  func turnIntoFault(notifiesObservers: Bool = true) {
    if notifiesObservers, flags.contains(.observed) { notifyObserversOfAllKeys() }
    let wasFault = isFault
    if !wasFault { willTurnIntoFault() }
    contents = []
    snapshot = .none
    state.turnedIntoFault()
    if !wasFault { didTurnIntoFault() }
  }

  /// Lets go of what the store has, because it computed some of it.
  func forgetSavedValues() {
    snapshot = .none
    let hasTransients = !contents.isEmpty && layout.slots.contains(where: \.isTransient)
    contents =
      hasTransients ? layout.slots.map { $0.isTransient ? contents[$0.index] : .unread } : []
  }

  /// Lets go of the context and the values: a fault that can no longer be filled in. One that was never
  /// saved keeps its attributes, as no store has them.
  func leaveContext() {
    if flags.contains(.observed) { notifyObserversOfAllKeys() }
    notifyStoreOfUnregistration()
    unsafeContext = nil
    if flags.contains(.inserted), !flags.contains(.deleted) {
      forgetRelationships()
      state = ObjectState()
      return
    }
    contents = []
    snapshot = .none
    state = ObjectState(isFault: true)
  }

  /// Lets go of other objects, which may lead back here in circles.
  func forgetRelationships() {
    guard !contents.isEmpty else { return }
    for slot in layout.slots {
      if case .attribute = slot.kind { continue }
      contents[slot.index] = .unread
    }
  }

  /// The values of all slots as they are now, in their stored form.
  ///
  /// - Parameter withFiles: whether values that nobody has read yet are read from their files; they
  ///   are NULL else.
  func presentValues(withFiles: Bool = true) -> [StoredValue] {
    let layout = layout
    let count = layout.slots.count
    return [StoredValue](unsafeUninitializedCapacity: count) { values, initialized in
      values.initialize(repeating: .null)
      initialized = count
      for slot in layout.rowSlots {
        values[slot] =
          valueStoredAsItIs(slot) ?? presentValue(layout.slots[slot], withFiles: withFiles)
      }
    }
  }

  /// What was set for a slot whose row says just that; nil for another slot, and where nothing was set.
  @inline(__always)
  func valueStoredAsItIs(_ slot: Int) -> StoredValue? {
    guard !contents.isEmpty, layout.isStoredAsItIs(slot), case .written(let value) = contents[slot]
    else { return nil }
    return value
  }

  private func presentValue(_ slot: PropertySlot, withFiles: Bool) -> StoredValue {
    let content = contents.isEmpty ? .unread : contents[slot.index]
    switch (slot.kind, content) {
    case (.toOne, .writtenObject(let object)):
      return object.map { .reference($0.objectID) } ?? .null
    case (.toOne, _): return committedValue(slot)
    default:
      if !withFiles, snapshot.isExternal(slot, in: layout) { return .null }
      if case .written(let written) = content {
        // What was just saved could be transformed; where it was not saved, there was no change.
        return (try? AttributeCodec.stored(written, slot)) ?? committedValue(slot)
      }
      let value = unwrittenValue(slot)
      if value.isNull, !flags.contains(.inaccessible), snapshot.hasValue(of: slot, in: layout) {
        return .unreadable
      }
      return (try? AttributeCodec.stored(value, slot)) ?? committedValue(slot)
    }
  }

  /// Keeps the values as they are as those that the store has.
  ///
  /// - Parameter withFiles: false when the row is read again at once.
  func didSaveValues(version: Int32, withFiles: Bool = true) {
    didSave(presentValues(withFiles: withFiles), version: version)
  }

  /// Keeps values as those that the store has. Besides, the object keeps what they do not say:
  /// transient values, and objects that would have to be found or made again.
  func didSave(_ values: [StoredValue], version: Int32) {
    snapshot = .values(values, version)
    if contents.isEmpty { return }
    var isPlain = true
    for slot in contents.indices {
      switch contents[slot] {
      case .unread: continue
      case .written(.object(let value)) where !layout.slots[slot].isTransient:
        contents[slot] = .cached(.object(value))
      case .written where !layout.slots[slot].isTransient, .writtenObject(nil):
        contents[slot] = .unread
        continue
      case .writtenObject(let object?): contents[slot] = .cachedObject(object)
      case .toMany(let content): content.didSave()
      case .written, .cached, .cachedObject: break
      }
      isPlain = false
    }
    if isPlain { contents = [] }
  }
}
