extension NSManagedObject {
  // Inlined accessors. Only `ObjectState` changes the values.
  @inline(__always)
  final var flags: ObjectState.Flags { state.flags }
  @inline(__always)
  final var snapshot: RowSnapshot { state.snapshot }
  @inline(__always)
  final var contents: [SlotContent] { state.contents }

  final var hasUnsavedChanges: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }
  /// Whether a stored property of an object with unsaved changes differs from the row.
  final var hasChangedStoredValues: Bool {
    hasUnsavedChanges && layout.slots.contains { !$0.isTransient && isChanged($0) }
  }
}
