import CoreData

/// Rows that another save deletes, that come back, and whose deletion is merged late.
extension GraphWalk {
  private static let policies: [NSMergePolicyType] = [
    .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
    .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
  ]

  /// Saves a change of an object whose deletion was saved elsewhere and was not merged.
  func saveAgainstDeletion(
    _ member: WalkMember, _ choices: inout WalkStep.Choices
  ) throws -> String? {
    // Nothing else goes with it.
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
    // Changes of the same object in other contexts are the matter of other steps.
    for other in roots where other !== member {
      let isTouched = other.family.contains {
        $0.dirty.contains(uid) || $0.current.objects[uid] != store.objects[uid]
      }
      if isTouched {
        if !other.children.isEmpty { return nil }
        other.performing { rollback(other) }
      }
    }
    // What is set to the stored value is no change, and nothing that a policy would keep.
    let values = [member.current.objects[uid]?.rank, store.objects[uid]?.rank]
    let rank = (1...3).first { !values.contains($0) } ?? 0
    object.setValue(rank, forKey: "rank")
    member.current.objects[uid]?.rank = rank
    member.dirty.insert(uid)
    member.context.processPendingChanges()
    forgetUndo(member)
    if !problems(member).isEmpty { return nil }
    noteUse()
    let coordinator = choices.once(in: 2) ? coordinators.last : coordinators.first
    note("elsewhere: delete \(uid)")
    let deletion = try deleteElsewhere(id, coordinator)
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
    var news = [deletion] + recorded.notifications
    if isRestored, choices.once(in: 2) { news.reverse() }
    comingBack = uid
    defer { comingBack = nil }
    if let fault = try finishSave(member, saved.union([uid]), news, nil, &choices) {
      return fault
    }
    // The deletion comes late to who has saved.
    note("\(member.name): merge the deletion")
    if choices.once(in: 2) { merge(deletion, into: member, &choices) }
    member.mergesLate = true
    noteMoods(member)
    return try compare(member)
  }

  private func deleteElsewhere(
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

  // MARK: Late news

  /// Keeps the IDs of a save, which may be merged again.
  func keepForLater(_ notifications: [Notification]) {
    for notification in notifications { pastSaves.append(remoteChanges(of: notification)) }
    pastSaves.removeFirst(max(0, pastSaves.count - 8))
  }

  /// Merges one of the last saves once more, whatever has happened since.
  func mergeLate(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    guard member.parent == nil, let past = choices.element(pastSaves) else { return nil }
    note("\(member.name): merge an earlier save again")
    forgetUndo(member)
    noteUse()
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: past, into: [member.context])
    noteMoods(member)
    return try compare(member)
  }
}
