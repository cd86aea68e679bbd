extension NSManagedObjectContext {
  /// Returns a description of an inconsistency in the context or its objects, or nil. Changes nothing.
  ///
  /// O(objects in use + members in memory). Called by tests.
  func checkInvariants() -> String? {
    let problem =
      registry.checkInvariants() ?? unsaved.checkInvariants()
      ?? pending.checkInvariants().map { "pending changes: \($0)" } ?? session.checkInvariants()
      ?? announcing.checkInvariants()
      ?? checkReadingAndMerging()
    if let problem { return problem }
    let objects = registry.objects
    for object in objects {
      if let problem = object.state.checkInvariants(of: object.layout) {
        return "\(object.ownID): \(problem)"
      }
      if object.unsafeContext !== self { return "\(object.ownID) belongs to another context" }
    }
    for (name, list, flag) in unsaved.flaggedLists {
      let list = list.set
      // A deleted object keeps the flag that it had before; if it was inserted, it is in no list.
      let other = flag == .deleted ? ObjectState.Flags.inserted : .deleted
      for object in objects
      where object.flags.contains(flag) && !object.flags.contains(other) && !list.contains(object) {
        return "\(object.ownID) is flagged as \(name), but is not in that list"
      }
    }
    return nil
  }

  /// Checks the parts whose state is not about changes. Separate, because long chains of `??` compile slowly.
  private func checkReadingAndMerging() -> String? {
    foreign.checkInvariants() ?? reading.checkInvariants() ?? undoing.checkInvariants()
  }
}
