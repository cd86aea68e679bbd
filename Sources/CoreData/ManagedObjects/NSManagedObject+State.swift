extension NSManagedObject {
  // Inlined accessors. Only `ObjectState` changes the values.
  @inline(__always)
  final var flags: ObjectState.Flags { state.flags }
  @inline(__always)
  final var snapshot: RowSnapshot { state.snapshot }
  @inline(__always)
  final var contents: [SlotContent] { state.contents }

  /// Whether the object has no values in memory. Reading a property fills them in.
  ///
  /// ```swift
  /// context.refresh(person, mergeChanges: false)
  /// print(person.isFault)  // true
  /// print(person.age, person.isFault)  // 36 false
  /// ```
  public final var isFault: Bool { flags.contains(.fault) }
  /// Whether the next save will insert the object.
  ///
  /// ```swift
  /// let draft = Person(context: context)
  /// draft.lastName = "Babbage"
  /// print(draft.isInserted)  // true
  /// try context.save()
  /// print(draft.isInserted)  // false
  /// ```
  public final var isInserted: Bool { flags.contains(.inserted) }
  /// Whether the object was changed since it was fetched or saved.
  public final var isUpdated: Bool { flags.contains(.updated) }
  /// Whether the next save will delete the object.
  public final var isDeleted: Bool { flags.contains(.deleted) }
}
