public import Observation

/// What a view or a server's code reads of a managed object inside `withObservationTracking` is told
/// to it when it changes: when it is set, merged, refreshed, rolled back or let go.
///
/// An object that nobody observes pays about a nanosecond a read (`ObservationProbe`).
extension NSManagedObject: Observable {}

extension NSManagedObject {
  /// What key paths of observed properties lead to.
  final subscript(observedSlot slot: Int) -> Int { slot }

  /// Notes that a property is read, where somebody wants to know.
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

  /// Tells observers that a property changes.
  @inline(never)
  final func notifyObservers(ofChangeIn slot: Int) {
    guard let registrar = unsafeContext?.announcing.observedObjects.existingRegistrar(of: self)
    else { return }
    registrar.withMutation(of: self, keyPath: \NSManagedObject[observedSlot: slot]) {}
  }

  /// Tells observers of the properties of which the store has something else now. A row says nothing of many
  /// members, nor of what is computed.
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
      case .toMany, .fetched, .composite: break
      }
      notifyObservers(ofChangeIn: slot.index)
    }
  }

  /// Tells observers that any property may change. Who reads it from now on observes it anew.
  @inline(never)
  final func notifyObserversOfAllKeys() {
    state.observationEnded()
    for slot in layout.slots.indices { notifyObservers(ofChangeIn: slot) }
  }
}

/// The registrars of the objects that were read under observation; objects go from here some time
/// after they are gone.
///
/// An object that was not read under observation lacks the flag `observed`, so setting its properties does not search
/// here.
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
      sweepAt = max(64, entries.count * 2)
    }
    let registrar = ObservationRegistrar()
    entries[ObjectIdentifier(object)] = Entry(object: object, registrar: registrar)
    return registrar
  }

  /// nil for one that was never read under observation.
  func existingRegistrar(of object: NSManagedObject) -> ObservationRegistrar? {
    guard let entry = entries[ObjectIdentifier(object)], entry.object === object else { return nil }
    return entry.registrar
  }
}
