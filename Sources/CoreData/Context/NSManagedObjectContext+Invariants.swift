extension NSManagedObjectContext {
  /// Returns what of the context, its parts and its objects can never be, in words, or nil. It changes nothing.
  ///
  /// Costs as much as there are objects in use and members in memory. Tests call it.
  func checkInvariants() -> String? {
    let fault =
      registry.checkInvariants() ?? unsaved.checkInvariants()
      ?? pending.checkInvariants().map { "pending changes: \($0)" } ?? session.checkInvariants()
      ?? announcing.checkInvariants()
    if let fault { return fault }
    let objects = registry.objects
    for object in objects {
      if let fault = object.state.checkInvariants(of: object.layout) {
        return "\(object.objectID): \(fault)"
      }
      if object.unsafeContext !== self { return "\(object.objectID) is of another context" }
    }
    for (name, list, flag) in unsaved.flaggedLists {
      let list = list.set
      // What is to be deleted keeps saying what it was before, and a new object is in no list then.
      let other = flag == .deleted ? ObjectState.Flags.inserted : .deleted
      for object in objects
      where object.flags.contains(flag) && !object.flags.contains(other) && !list.contains(object) {
        return "\(object.objectID) says that it is \(name) and is not among these"
      }
    }
    return nil
  }
}
