extension NSManagedObjectContext {
  /// Returns what of the context's state can never be, in words; nil where all is as it should be. Changes nothing.
  ///
  /// Costs as much as there are objects in use. Tests call it.
  func checkInvariants() -> String? {
    for object in registry.objects {
      if let fault = object.state.checkInvariants(of: object.layout) {
        return "\(object.objectID) is \(fault)"
      }
    }
    let lists: [(String, ChangeList, ObjectState.Flags)] = [
      ("inserted", unsaved.inserted, .inserted), ("updated", unsaved.updated, .updated),
      ("deleted", unsaved.deleted, .deleted),
    ]
    for (name, list, flag) in lists {
      for object in list where !object.flags.contains(flag) {
        return "\(object.objectID) is among the \(name) objects and says that it is not"
      }
      for object in registry.objects where object.flags.contains(flag) && !list.contains(object) {
        // What is to be deleted keeps saying what it was before, and a new object is in no list then.
        let isDeletion = flag == .deleted
        if object.flags.contains(isDeletion ? .inserted : .deleted) { continue }
        return "\(object.objectID) says that it is \(name) and is not among these"
      }
    }
    for object in unsaved.deletedElsewhere where !unsaved.deleted.contains(object) {
      return "\(object.objectID) was deleted elsewhere, and is not among the deleted objects"
    }
    return nil
  }
}
