import CoreData

/// Steps that discard or undo changes.
extension GraphWalk {
  /// Discards the context's changes. Its graph becomes that of its parent or store.
  func rollback(_ member: WalkMember) { rollback(member, to: base(member).stored) }

  func rollback(_ member: WalkMember, to base: NaiveGraph, follows: Bool = true) {
    note("\(member.name): rollback")
    removeUndoSteps(member)
    member.context.rollback()
    rollBackAll(member, base, follows: follows) { uid, before in
      before.objects[uid] == nil || member.dirty.contains(uid)
    }
    removeUndoSteps(member)
  }

  private func rollBackAll(
    _ member: WalkMember, _ base: NaiveGraph, follows: Bool,
    losesMood: (Int, NaiveGraph) -> Bool
  ) {
    let before = member.current
    member.current = base
    for (uid, object) in before.objects where !losesMood(uid, before) {
      member.current.objects[uid]?.mood = object.mood
    }
    member.dirty = []
    // An object that the parent deleted and did not save may be in use here. It is deleted here once the parent saves.
    member.deletedByOtherContexts =
      member.parent == nil ? [] : Set(store.objects.keys).subtracting(base.objects.keys)
    member.used = Set(member.context.registeredObjects.map(\.objectID))
    member.held = member.held.filter { base.objects[$0.key] != nil }
    // A rollback releases an object whose deletion was merged, although another save may have restored its row.
    if let restoredUID, member.held[restoredUID]?.managedObjectContext == nil {
      member.held[restoredUID] = nil
    }
    if follows { follow(member, from: before) }
  }

  func reset(_ member: WalkMember) throws {
    note("\(member.name): reset")
    removeUndoSteps(member)
    // Unsaved changes are lost, and the objects become faults without a context.
    let (some, object) = member.held.first ?? (0, nil)
    member.context.reset()
    if let object, object.managedObjectContext != nil || !object.isFault {
      note("\(some) is still in the context")
    }
    member.held = [:]
    // The expected graph includes the parent's unsaved objects, because the context finds them by their IDs.
    rollBackAll(member, base(member).stored, follows: true) { _, _ in true }
    removeUndoSteps(member)
    try fetchAgain(member)
  }

  func refresh(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    guard let uid = anyUID(member, &choices), let object = object(uid, member),
      let naive = member.current.objects[uid]
    else { return }
    let former = base(member).objects[uid]
    let keepsChanges = choices.once(in: 2)
    if keepsChanges {
      note("\(member.name): refresh \(uid), changes kept")
      member.context.refresh(object, mergeChanges: true)
      if former != nil, !member.dirty.contains(uid), naive.mood != nil {
        member.current.objects[uid]?.mood = nil
        removeUndoSteps(member)
      }
    } else if let former, naive.hasSameRelationships(as: former) {
      note("\(member.name): refresh \(uid)")
      removeUndoSteps(member)
      member.context.refresh(object, mergeChanges: false)
      let before = member.current
      member.current.objects[uid] = former
      member.current.objects[uid]?.mood = nil
      member.dirty.remove(uid)
      follow(member, from: before)
      removeUndoSteps(member)
    }
  }

  func refreshAll(_ member: WalkMember) {
    note("\(member.name): refresh all")
    member.context.refreshAllObjects()
    let base = base(member)
    let before = member.current
    for uid in member.current.uids where base.objects[uid] != nil && !member.dirty.contains(uid) {
      member.current.objects[uid]?.mood = nil
    }
    // The graphs of earlier undo steps still contain the moods that were cleared.
    if member.current != before { removeUndoSteps(member) }
  }

  // MARK: Undo and redo

  func openGroup(_ member: WalkMember) {
    guard let history = member.history, history.open == nil else { return }
    member.context.processPendingChanges()
    member.history?.open = (member.current, history.manager.undoCount)
    history.manager.beginUndoGrouping()
  }

  /// Closes the open undo group. A group without changes adds no undo step.
  func closeGroup(_ member: WalkMember) -> String? {
    guard let history = member.history, let open = history.open else { return nil }
    history.manager.endUndoGrouping()
    member.history?.open = nil
    if history.manager.undoCount > open.count {
      member.history?.past.append(open.graph)
      member.history?.future = []
      // An undo step may have no visible changes.
      return nil
    }
    return member.current.difference(from: open.graph).isEmpty
      ? nil : "a group with changes added no undo step"
  }

  /// Removes all undo and redo steps.
  func removeUndoSteps(_ member: WalkMember) {
    guard let history = member.history else { return }
    if history.open != nil { _ = closeGroup(member) }
    history.manager.removeAllActions()
    member.history?.past = []
    member.history?.future = []
    member.history?.known = [:]
  }

  func undo(_ member: WalkMember) throws -> String? {
    guard let manager = member.history?.manager else { return nil }
    if let failure = closeGroup(member) { return failure }
    guard let past = member.history?.past.popLast() else {
      return manager.canUndo ? "there is something to undo" : nil
    }
    note("\(member.name): undo")
    member.history?.future.append(member.current)
    manager.undo()
    return try restore(past, member)
  }

  func redo(_ member: WalkMember) throws -> String? {
    guard let manager = member.history?.manager else { return nil }
    if let failure = closeGroup(member) { return failure }
    guard let future = member.history?.future.popLast() else {
      return manager.canRedo ? "there is something to redo" : nil
    }
    note("\(member.name): redo")
    member.history?.past.append(member.current)
    manager.redo()
    return try restore(future, member)
  }

  private func restore(_ graph: NaiveGraph, _ member: WalkMember) throws -> String? {
    let before = member.current
    for (uid, object) in member.held { member.history?.known[uid] = object }
    member.current = graph
    member.current.touched = []
    for (uid, object) in member.history?.known ?? [:]
    where object.managedObjectContext === member.context { member.held[uid] = object }
    member.held = member.held.filter { graph.objects[$0.key] != nil }
    // An object that has its stored values again may count as updated or not.
    let updated = member.context.updatedObjects.compactMap { $0.value(forKey: "uid") as? Int }
    let changed = graph.difference(from: base(member))
    let changes = changed.attributes.union(changed.relationships)
    if let missing = changes.sorted().first(where: { !updated.contains($0) }) {
      return "\(missing) has changes, but is not in updatedObjects"
    }
    member.dirty = Set(updated)
    follow(member, from: before)
    guard let history = member.history else { return nil }
    if history.manager.undoCount != history.past.count
      || history.manager.redoCount != history.future.count
    {
      return "\(history.manager.undoCount) and \(history.manager.redoCount) steps instead of"
        + " \(history.past.count) and \(history.future.count)"
    }
    return try compare(member)
  }
}
