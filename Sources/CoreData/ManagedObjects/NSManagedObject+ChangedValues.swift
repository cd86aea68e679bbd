/// The state that an object with unsaved changes had when changes were last processed.
///
/// `changedValuesForCurrentEvent()` compares the object with this state. The context records it before the object
/// changes again. An object without unsaved changes needs no baseline, because its row in the store is the same state.
struct EventBaseline {
  let object: NSManagedObject
  let state: RecordedState
}

/// The changes that observers are being notified of, with the baselines of their objects.
struct AnnouncedEvent {
  let changes: PendingChanges
  let baselines: [ObjectIdentifier: EventBaseline]
  /// The number of the context's saves before the notification.
  let saveCount: Int

  func concerns(_ object: NSManagedObject) -> Bool {
    changes.updated.contains(object) || changes.inserted.contains(object)
      || changes.deleted.contains(object)
  }
}

extension NSManagedObject {
  /// Notifies the observers of a slot that is about to change. Also records the object's state at the beginning of the
  /// event, if it differs from the row.
  @inline(__always)
  final func willChangeContent(_ slot: Int) {
    // The Observation framework requires this notification before the value changes.
    if flags.contains(.observed) { notifyObservers(ofChangeIn: slot) }
    if !flags.contains(.touched), !flags.isDisjoint(with: [.updated, .inserted]) {
      recordEventBaseline()
    }
  }

  /// Records in the context that the object has changed, unless the context has recorded that already.
  @inline(__always)
  final func noteChange() {
    if flags.contains(.noted), !flags.isDisjoint(with: [.inserted, .updated]) { return }
    unsafeContext?.noteChange(self)
  }

  @inline(never)
  private func recordEventBaseline() {
    // Values that `awakeFromFetch` sets are not changes.
    guard let context = unsafeContext, context.registry.quietDepth == 0 else { return }
    state.wasTouched()
    context.announcing.note(
      EventBaseline(
        object: self, state: RecordedState(of: self, in: context)), of: self)
  }

  /// Returns the values of stored properties that differ from the last fetched or saved ones.
  final func changedValuesByName() -> [String: Any] {
    var values: [String: Any] = [:]
    if contents.isEmpty || flags.isDisjoint(with: [.inserted, .updated, .deleted]) {
      return values
    }
    for slot in layout.slots
    where !slot.isTransient && slot.composite == nil && isPropertyChanged(slot) {
      values[slot.name] = externalValue(slot.index) ?? NSNull()
    }
    return values
  }

  /// Returns the former values of the properties that have changed since changes were last processed. While observers
  /// are being notified, returns those of the properties that changed in the announced event.
  final func formerValuesOfEvent() -> [String: Any] {
    guard let context = unsafeContext, !contents.isEmpty else { return [:] }
    let baselines: [ObjectIdentifier: EventBaseline]
    if flags.contains(.touched) {
      baselines = context.announcing.baselines
    } else if let event = context.announcing.event, event.concerns(self) {
      baselines = event.baselines
    } else {
      return [:]
    }
    let state =
      baselines[ObjectIdentifier(self)]?.state
      ?? RecordedState(isPresent: !flags.contains(.inserted), snapshot: snapshot)
    var values: [String: Any] = [:]
    for slot in layout.slots where slot.composite == nil {
      let (old, new) = (state.content(slot.index), contents[slot.index])
      switch slot.kind {
      case .attribute where old.isWritten || new.isWritten:
        let value = state.valueOrMark(slot, of: self)
        var present = AttributeCodec.defaultValue(slot)
        if let stored = try? storedValue(slot.index) { present = stored }
        if value != present { values[slot.name] = AttributeCodec.external(value, slot) ?? NSNull() }
      case .toOne where old.isWritten || new.isWritten:
        let object = state.destination(slot, of: self, in: context)
        let present = try? toOneObject(slot.index)
        if object !== present { values[slot.name] = object ?? NSNull() }
      case .toMany:
        if let former = formerMembers(slot.index, old, new) { values[slot.name] = former }
      case .composite:
        let composite = CompositeValue(slot, in: layout)
        let isChanged = composite.elements.contains { element in
          guard let present = try? storedValue(element.index) else { return false }
          return state.value(element, of: self) != present
        }
        if isChanged {
          let former = composite.dictionary {
            AttributeCodec.external(state.value($0, of: self), $0)
          }
          values[slot.name] = former ?? NSNull()
        }
      default: break
      }
    }
    return values
  }

  /// Returns the members at the beginning of the event; nil if they have not changed or cannot be read.
  private func formerMembers(_ slot: Int, _ old: SlotContent, _ new: SlotContent) -> NSObject? {
    guard case .toMany(let now) = new else { return nil }
    let former: ToManyContent
    if case .toMany(let old) = old {
      former = old.copy()
    } else {
      if !now.isChanged { return nil }
      former = ToManyContent(isOrdered: now.isOrdered)
    }
    do {
      // If the members had not been read when the event began, read the stored members now and apply the recorded
      // changes to them.
      if !former.isRead { former.setStored(try committedMembers(slot)) }
      let present = try toManyObjects(slot)
      let isSame =
        now.isOrdered
        ? former.objects.elementsEqual(present, by: ===) : Set(former.objects) == Set(present)
      return isSame ? nil : former.collection
    } catch {
      Log.contextNotice(error.localizedDescription)
      return nil
    }
  }

  /// Reads the members of a to-many relationship from the store; none for an object without a row.
  final func committedMembers(_ slot: Int) throws -> [NSManagedObject] {
    guard snapshot.isPresent, let context = unsafeContext else { return [] }
    // The store still has members that this context has deleted.
    return try context.readMembers(of: self, slot, withDeleted: true)
  }

  /// Returns the last fetched or saved values, with `NSNull` for nil.
  final func committedValuesByName(_ keys: [String]?) -> [String: Any] {
    var values: [String: Any] = [:]
    // If the caller passes keys, an object that was never saved has no values for them.
    if keys != nil, flags.contains(.inserted), !snapshot.isPresent { return values }
    do {
      try fire()
      for slot in layout.slots where !slot.isTransient && slot.composite == nil {
        if let keys, !keys.contains(slot.name) { continue }
        switch slot.kind {
        case .attribute:
          values[slot.name] = AttributeCodec.external(committedValue(slot), slot) ?? NSNull()
        case .toOne:
          if case .reference(let id) = committedValue(slot), let context = unsafeContext {
            values[slot.name] = context.object(with: id)
          } else {
            values[slot.name] = NSNull()
          }
        case .toMany:
          guard snapshot.isPresent else {
            values[slot.name] = NSNull()
            continue
          }
          let content = ToManyContent(isOrdered: slot.relationship?.isOrdered ?? false)
          content.setStored(try committedMembers(slot.index))
          values[slot.name] = content.collection
        case .composite: values[slot.name] = committedComposite(slot) ?? NSNull()
        case .fetched: break
        }
      }
    } catch {
      _ = inaccessible(error)
    }
    return values
  }
}
