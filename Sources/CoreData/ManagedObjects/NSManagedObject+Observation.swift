public import Observation

/// Observation tracks the properties of managed objects that are read inside
/// `withObservationTracking`, for example by a view or by server code. Observers are notified when such a property is
/// set, when its object is merged, refreshed or rolled back, and when the object releases its values.
///
/// For an object without observers this costs about a nanosecond for each read (`ObservationProbe`).
///
/// ```swift
/// import Observation
///
/// withObservationTracking {
///   print(person.age)
/// } onChange: {
///   print("the age changes")
/// }
/// person.age = 37
/// ```
extension NSManagedObject: Observable {}

extension NSManagedObject {
  /// Provides a key path for each slot, by which a registrar identifies the slot.
  final subscript(observedSlot slot: Int) -> Int { slot }

  /// Registers the reading of a property if the current thread tracks reads.
  @inline(__always)
  final func noteRead(_ slot: Int) {
    if layout.observation._withUnsafeGuaranteedRef({ $0.isTracking }) { registerRead(slot) }
  }

  @inline(never)
  private func registerRead(_ slot: Int) {
    guard let context = unsafeContext else { return }
    state.observationBegan()
    context.announcing.registrar(of: self).access(
      self, keyPath: \NSManagedObject[observedSlot: slot])
  }

  /// Notifies observers that a property changes.
  @inline(never)
  final func notifyObservers(ofChangeIn slot: Int) {
    guard let registrar = unsafeContext?.announcing.observedObjects.existingRegistrar(of: self)
    else { return }
    // The registrar notifies observers before the body runs, so the change itself may follow later.
    registrar.withMutation(of: self, keyPath: \NSManagedObject[observedSlot: slot]) {}
  }

  /// Notifies observers of the properties whose stored values have changed. Observers of values that a row does not
  /// contain, such as to-many relationships, transient values and values in separate files, are always notified. If one
  /// of the rows is unknown, notifies the observers of all properties.
  final func notifyObservers(ofDifferencesFrom former: RowSnapshot) {
    guard former.isPresent, snapshot.isPresent else { return notifyObserversOfAllKeys() }
    for slot in layout.slots {
      switch slot.kind {
      case .attribute, .toOne:
        if !slot.isTransient, !snapshot.isExternal(slot, in: layout),
          former.value(of: slot, in: layout, origin: origin) == committedValue(slot)
        {
          continue
        }
      // A row does not contain these values, so a comparison of rows cannot detect a change.
      case .toMany, .fetched, .composite: break
      }
      notifyObservers(ofChangeIn: slot.index)
    }
  }

  /// Notifies the observers of all properties. Reading a property afterwards registers an observer again.
  @inline(never)
  final func notifyObserversOfAllKeys() {
    // The observation ends before the notifications, because an observer may respond by reading a property, which
    // begins a new observation.
    state.observationEnded()
    for slot in layout.slots.indices { notifyObservers(ofChangeIn: slot) }
  }
}

/// The registrars of objects whose properties were read under observation. Entries of deallocated objects are removed
/// from time to time.
///
/// Objects that were never read under observation lack the flag `observed`, so setting their
/// properties costs no lookup here.
struct ObservedObjects {
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var sweepAt = 64

  private struct Entry {
    weak var object: NSManagedObject?
    let registrar: ObservationRegistrar
  }

  mutating func registrar(of object: NSManagedObject) -> ObservationRegistrar {
    if let known = existingRegistrar(of: object) { return known }
    if entries.count >= sweepAt {
      entries = entries.filter { $0.value.object != nil }
      // Because the limit doubles, the amortized cost of the sweeps is constant for each new entry.
      sweepAt = max(64, entries.count * 2)
    }
    let registrar = ObservationRegistrar()
    entries[ObjectIdentifier(object)] = Entry(object: object, registrar: registrar)
    return registrar
  }

  /// Returns the registrar of an object; nil if it was never read under observation.
  func existingRegistrar(of object: NSManagedObject) -> ObservationRegistrar? {
    // Another object may have the address of a deallocated one.
    guard let entry = entries[ObjectIdentifier(object)], entry.object === object else { return nil }
    return entry.registrar
  }
}
