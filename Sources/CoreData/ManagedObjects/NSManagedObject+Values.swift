extension NSManagedObject {
  // MARK: Reading

  /// Fills the object with its values if it is a fault.
  ///
  /// - Throws: An error if the row is gone or cannot be read, or if the object has no context.
  @inline(__always)
  func fire() throws {
    if flags.contains(.fault) { try fill() }
  }

  @inline(never)
  private func fill() throws {
    try readRow()
    // The flag is cleared before `awakeFromFetch`, because accessors that it calls would otherwise
    // fire the fault again.
    state.faultWasFilled()
    // A refreshed new object gets its default values. Nothing was fetched, so `awakeFromFetch` is not called.
    if flags.contains(.inserted) { return }
    guard let quiet = table?.quiet else { return awakeFromFetch() }
    // While this is above zero, setting values records no changes.
    quiet.pointee += 1
    awakeFromFetch()
    quiet.pointee -= 1
  }

  /// Ensures that the row is in memory. To the program, the object stays a fault.
  @inline(__always)
  func readRow() throws {
    // A new object has no row, even if it was refreshed and is a fault.
    if flags.contains(.fault), !snapshot.isPresent, !flags.contains(.inserted) {
      try readMissingRow()
    }
  }

  @inline(never)
  private func readMissingRow() throws {
    guard let context = unsafeContext else {
      throw CoreDataError.make(
        NSManagedObjectReferentialIntegrityError,
        "the object \(ownID) no longer belongs to a context; its values cannot be read")
    }
    try context.readRow(of: self)
  }

  /// Returns the value of an attribute in its stored form.
  func storedValue(_ slot: Int) throws -> StoredValue {
    try readRow()
    switch content(slot) {
    case .written(let value), .cached(let value): return value
    default: break
    }
    return unwrittenValue(layout.slots[slot])
  }

  /// Returns the value of a slot that was not set.
  private func unwrittenValue(_ slot: PropertySlot) -> StoredValue {
    if flags.contains(.inaccessible) { return .null }
    if !snapshot.isPresent || slot.isTransient { return AttributeCodec.defaultValue(slot) }
    return snapshot.value(of: slot, in: layout, origin: origin)
  }

  /// Returns the value that the store has for a persistent slot.
  func committedValue(_ slot: PropertySlot) -> StoredValue {
    snapshot.value(of: slot, in: layout, origin: origin)
  }

  /// Returns whether a slot's value differs from the stored one.
  func isChanged(_ slot: PropertySlot) -> Bool {
    switch content(slot.index) {
    case .unread, .cached, .cachedObject: return false
    case .written(let value):
      if slot.isTransient { return true }
      // A value that cannot be transformed counts as a change, so that saving it fails.
      guard let stored = try? AttributeCodec.stored(value, slot) else { return true }
      // A stored value that cannot be read reads as NULL. Writing NULL removes it from the row, so that is a change.
      if stored.isNull { return snapshot.hasValue(of: slot, in: layout) }
      return stored != committedValue(slot)
    case .writtenObject(let object):
      guard case .reference(let id) = committedValue(slot) else { return object != nil }
      return object.map { !id.identifies($0) } ?? true
    case .toMany(let content): return content.isChanged
    }
  }

  /// Whether the object is deleted and its delete rules were carried out.
  var isDeletedForGood: Bool { flags.isSuperset(of: [.deleted, .propagated]) }

  /// Returns the object's own content of a slot.
  @inline(__always)
  func content(_ slot: Int) -> SlotContent { contents.isEmpty ? .unread : contents[slot] }

  // MARK: Writing

  func setContent(_ slot: Int, _ content: SlotContent) {
    state.set(slot, content, in: layout)
  }

  /// Sets an attribute, and records the change in the context.
  func setStoredValue(_ slot: Int, _ value: StoredValue) {
    willChangeContent(slot)
    setContent(slot, .written(value))
    noteChange()
  }

  /// Releases everything but the object's identity.
  func turnIntoFault(notifiesObservers: Bool = true) {
    if notifiesObservers, flags.contains(.observed) { notifyObserversOfAllKeys() }
    let wasFault = flags.contains(.fault)
    if !wasFault { willTurnIntoFault() }
    state.turnedIntoFault()
    if !wasFault { didTurnIntoFault() }
  }

  /// Removes the object from its context and releases its values: it becomes a fault that can no
  /// longer be filled. An object that was never saved keeps its attributes, unless it is deleted.
  func leaveContext() {
    if flags.contains(.observed) { notifyObserversOfAllKeys() }
    // The store is notified while the object still has its context, because an object without a
    // context counts as not registered.
    notifyStoreOfUnregistration()
    unsafeContext = nil
    // No store has the attributes of an object that was never saved.
    if flags.contains(.inserted), !flags.contains(.deleted) {
      state.leftContextUnsaved(in: layout)
    } else {
      state.leftContext()
    }
  }

  /// Returns the current values of all slots in their stored form.
  ///
  /// - Parameter withFiles: Whether to read the files of values that were not read yet.
  ///   Otherwise, these values are NULL.
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

  /// Returns the value that was set for a slot if the row stores it in the same form; otherwise nil.
  @inline(__always)
  func valueStoredAsItIs(_ slot: Int) -> StoredValue? {
    guard !contents.isEmpty, layout.isStoredAsItIs(slot), case .written(let value) = contents[slot]
    else { return nil }
    return value
  }

  private func presentValue(_ slot: PropertySlot, withFiles: Bool) -> StoredValue {
    let content = content(slot.index)
    switch (slot.kind, content) {
    case (.toOne, .writtenObject(let object)):
      return object.map { .reference($0.ownID) } ?? .null
    case (.toOne, _): return committedValue(slot)
    default:
      if !withFiles, snapshot.isExternal(slot, in: layout) { return .null }
      if case .written(let written) = content {
        // Saving a value that cannot be transformed fails, so after a save the transformation succeeds. A child context
        // that reads such a value from its parent gets the stored value instead.
        return (try? AttributeCodec.stored(written, slot)) ?? committedValue(slot)
      }
      let value = unwrittenValue(slot)
      if value.isNull, !flags.contains(.inaccessible), snapshot.hasValue(of: slot, in: layout) {
        return .unreadable
      }
      return (try? AttributeCodec.stored(value, slot)) ?? committedValue(slot)
    }
  }

  /// Adopts the current values as the stored ones.
  ///
  /// - Parameter withFiles: False if the caller reads the row again right afterwards.
  func didSaveValues(version: Int32, withFiles: Bool = true) {
    state.valuesWereSaved(presentValues(withFiles: withFiles), version: version, in: layout)
  }
}
