import CoreData

/// Steps that take back.
extension GraphWalk {
  /// The context's changes are dropped; the graph is the one that its source has.
  func rollback(_ member: WalkMember) { rollback(member, to: base(member).stored) }

  func rollback(_ member: WalkMember, to base: NaiveGraph, follows: Bool = true) {
    note("\(member.name): rollback")
    forgetUndo(member)
    member.context.rollback()
    rollBackAll(member, base, follows: follows) { uid, before in
      before.objects[uid] == nil || member.dirty.contains(uid)
    }
    forgetUndo(member)
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
    // What the parent has deleted and not saved may be in use here, and counts as deleted once the parent saves.
    member.deletedElsewhere =
      member.parent == nil ? [] : Set(store.objects.keys).subtracting(base.objects.keys)
    member.used = Set(member.context.registeredObjects.map(\.objectID))
    member.held = member.held.filter { base.objects[$0.key] != nil }
    // A rollback releases an object whose deletion was merged; its row may exist again by now.
    if let comingBack, member.held[comingBack]?.managedObjectContext == nil {
      member.held[comingBack] = nil
    }
    if follows { follow(member, from: before) }
  }

  func reset(_ member: WalkMember) throws {
    note("\(member.name): reset")
    forgetUndo(member)
    // What is not saved anywhere is gone; its objects are faults of no context.
    let (some, object) = member.held.first ?? (0, nil)
    member.context.reset()
    if let object, object.managedObjectContext != nil || !object.isFault {
      note("\(some) is still in the context")
    }
    member.held = [:]
    // An unsaved object of the parent is found by its ID.
    rollBackAll(member, base(member).stored, follows: true) { _, _ in true }
    forgetUndo(member)
    try fetchAgain(member)
  }

  func refresh(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    guard let uid = anyone(member, &choices), let object = object(uid, member),
      let naive = member.current.objects[uid]
    else { return }
    let former = base(member).objects[uid]
    let keepsChanges = choices.once(in: 2)
    if keepsChanges {
      note("\(member.name): refresh \(uid), changes kept")
      member.context.refresh(object, mergeChanges: true)
      if former != nil, !member.dirty.contains(uid), naive.mood != nil {
        member.current.objects[uid]?.mood = nil
        forgetUndo(member)
      }
    } else if let former, naive.hasSameRelationships(as: former) {
      note("\(member.name): refresh \(uid)")
      forgetUndo(member)
      member.context.refresh(object, mergeChanges: false)
      let before = member.current
      member.current.objects[uid] = former
      member.current.objects[uid]?.mood = nil
      member.dirty.remove(uid)
      follow(member, from: before)
      forgetUndo(member)
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
    // Undo would have to bring the moods back.
    if member.current != before { forgetUndo(member) }
  }

  // MARK: Undo and redo

  func openGroup(_ member: WalkMember) {
    guard let history = member.history, history.open == nil else { return }
    member.context.processPendingChanges()
    member.history?.open = (member.current, history.manager.undoCount)
    history.manager.beginUndoGrouping()
  }

  /// Closes the group that is open; one that changed nothing is no step.
  func closeGroup(_ member: WalkMember) -> String? {
    guard let history = member.history, let open = history.open else { return nil }
    history.manager.endUndoGrouping()
    member.history?.open = nil
    if history.manager.undoCount > open.count {
      member.history?.past.append(open.graph)
      member.history?.future = []
      // A step that changes nothing that can be seen may be one.
      return nil
    }
    return member.current.difference(from: open.graph).isEmpty
      ? nil : "a group with changes is no step to be undone"
  }

  /// What was done cannot be undone any more.
  func forgetUndo(_ member: WalkMember) {
    guard let history = member.history else { return }
    if history.open != nil { _ = closeGroup(member) }
    history.manager.removeAllActions()
    member.history?.past = []
    member.history?.future = []
    member.history?.known = [:]
  }

  func undo(_ member: WalkMember) throws -> String? {
    guard let manager = member.history?.manager else { return nil }
    if let fault = closeGroup(member) { return fault }
    guard let past = member.history?.past.popLast() else {
      return manager.canUndo ? "there is something to undo" : nil
    }
    note("\(member.name): undo")
    member.history?.future.append(member.current)
    manager.undo()
    return try show(past, member)
  }

  func redo(_ member: WalkMember) throws -> String? {
    guard let manager = member.history?.manager else { return nil }
    if let fault = closeGroup(member) { return fault }
    guard let future = member.history?.future.popLast() else {
      return manager.canRedo ? "there is something to redo" : nil
    }
    note("\(member.name): redo")
    member.history?.past.append(member.current)
    manager.redo()
    return try show(future, member)
  }

  private func show(_ graph: NaiveGraph, _ member: WalkMember) throws -> String? {
    let before = member.current
    for (uid, object) in member.held { member.history?.known[uid] = object }
    member.current = graph
    member.current.touched = []
    for (uid, object) in member.history?.known ?? [:]
    where object.managedObjectContext === member.context { member.held[uid] = object }
    member.held = member.held.filter { graph.objects[$0.key] != nil }
    // Whether an object that is as it was before all is to be saved is not laid down.
    let updated = member.context.updatedObjects.compactMap { $0.value(forKey: "uid") as? Int }
    let changed = graph.difference(from: base(member))
    let changes = changed.attributes.union(changed.relationships)
    if let missing = changes.sorted().first(where: { !updated.contains($0) }) {
      return "\(missing) is changed, and not to be saved"
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
