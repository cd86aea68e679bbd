import CoreData

/// Steps in which a context saves a change to a row that another context deleted, and merges the deletion late. The
/// save may restore the row.
extension GraphWalk {
  private static let policies: [NSMergePolicyType] = [
    .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
    .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
  ]

  /// Saves a change to an object that another context has deleted, before this context has merged the deletion.
  func saveAgainstDeletion(
    _ member: WalkMember, _ choices: inout WalkStep.Choices
  ) throws -> String? {
    // The object has no related objects, so its deletion changes no other object.
    let candidates = member.current.uids.filter { uid in
      guard let mine = member.current.objects[uid], let stored = store.objects[uid] else {
        return false
      }
      let objects = [mine, stored]
      return mine.mood == nil
        && NaiveGraph.relationships(of: mine.entity).allSatisfy { relationship in
          objects.allSatisfy { $0.members(relationship).isEmpty }
        }
    }
    guard member.parent == nil, member.children.isEmpty, let uid = choices.element(candidates),
      let id = ids[uid], let object = object(uid, member)
    else { return nil }
    // Changes of other contexts to this object are rolled back, because other steps test such conflicts.
    for other in roots where other !== member {
      let isTouched = other.family.contains {
        $0.dirty.contains(uid) || $0.current.objects[uid] != store.objects[uid]
      }
      if isTouched {
        if !other.children.isEmpty { return nil }
        other.performing { rollback(other) }
      }
    }
    // Setting the stored value is not a change, so no merge policy would keep it.
    let values = [member.current.objects[uid]?.rank, store.objects[uid]?.rank]
    let rank = (1...3).first { !values.contains($0) } ?? 0
    object.setValue(rank, forKey: "rank")
    member.current.objects[uid]?.rank = rank
    member.dirty.insert(uid)
    member.context.processPendingChanges()
    removeUndoSteps(member)
    if !problems(member).isEmpty { return nil }
    recordRegisteredObjects()
    let coordinator = choices.once(in: 2) ? coordinators.last : coordinators.first
    note("another context: delete \(uid)")
    let deletion = try deleteInOtherContext(id, coordinator)
    if !isHeld {
      for other in roots where other.mergesAutomatically && other !== member { other.performing {} }
    }
    let type = Self.policies[choices.below(4)]
    note("\(member.name): save with the policy \(type)")
    member.context.mergePolicy = NSMergePolicy(merge: type)
    defer { member.context.mergePolicy = NSMergePolicy.error }
    let saved = member.inserted(on: store).union(member.dirty)
    let recorded = Recorder(.NSManagedObjectContextDidSave, of: member.context)
    try member.context.save()
    let isRestored =
      type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
    if !isRestored {
      member.current.objects[uid] = nil
      member.held[uid] = nil
    }
    var notifications = [deletion] + recorded.notifications
    if isRestored, choices.once(in: 2) { notifications.reverse() }
    restoredUID = uid
    defer { restoredUID = nil }
    if let failure = try finishSave(member, saved.union([uid]), notifications, nil, &choices) {
      return failure
    }
    // The context that saved the change receives the deletion late.
    note("\(member.name): merge the deletion")
    if choices.once(in: 2) { merge(deletion, into: member, &choices) }
    member.mergesLate = true
    recordMoods(member)
    return try compare(member)
  }

  private func deleteInOtherContext(
    _ id: NSManagedObjectID, _ coordinator: NSPersistentStoreCoordinator?
  ) throws -> Notification {
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    leaks.watch(other)
    other.persistentStoreCoordinator = coordinator
    let recorded = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      other.delete(try other.existingObject(with: id))
      try other.save()
    }
    guard let notification = recorded.notifications.first else {
      throw CocoaError(.coderValueNotFound)
    }
    return notification
  }

  // MARK: Late merges

  /// Keeps the IDs of a save, which a later step may merge again.
  func recordPastSaves(_ notifications: [Notification]) {
    for notification in notifications { pastSaves.append(remoteChanges(of: notification)) }
    pastSaves.removeFirst(max(0, pastSaves.count - 8))
  }

  /// Merges one of the last saves again, regardless of later changes.
  func mergeLate(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    guard member.parent == nil, let past = choices.element(pastSaves) else { return nil }
    note("\(member.name): merge an earlier save again")
    removeUndoSteps(member)
    recordRegisteredObjects()
    member.context.processPendingChanges()
    let changed = Recorder(.NSManagedObjectContextObjectsDidChange, of: member.context)
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: past, into: [member.context])
    for object in changed.notifications.flatMap({
      $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
    }) {
      let uid = object.value(forKey: "uid") as? Int ?? -1
      if store.objects[uid] == nil {
        return "\(object.objectID) is reported as inserted, and has no row"
      }
    }
    recordMoods(member)
    return try compare(member)
  }
}
