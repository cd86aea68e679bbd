import CoreData

/// Saves that conflict with a save the context has not merged.
extension GraphWalk {
  private static let policies: [NSMergePolicyType] = [
    .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
  ]

  func saveAgainst(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    // Only attributes of the conflicting object differ in this context.
    let candidates = member.current.difference(from: store).attributes.sorted().filter { uid in
      guard let mine = member.current.objects[uid], let old = store.objects[uid] else {
        return false
      }
      return mine.mood == nil && mine.hasSameRelationships(as: old)
    }
    guard member.parent == nil, member.children.isEmpty, problems(member).isEmpty,
      let uid = choices.element(candidates), let id = ids[uid], let old = store.objects[uid],
      let mine = member.current.objects[uid], let object = object(uid, member)
    else { return nil }
    removeUndoSteps(member)
    let context = member.context
    let mergesAutomatically = context.automaticallyMergesChangesFromParent
    context.automaticallyMergesChangesFromParent = false
    defer { context.automaticallyMergesChangesFromParent = mergesAutomatically }

    var theirs = old
    theirs.rank = ((old.rank ?? 0) + 1) % 6
    if choices.once(in: 2) { theirs.name = old.name == "a" ? "b" : "a" }
    note("another context: save \(uid) as \(theirs.name ?? "nil") \(theirs.rank ?? -1)")
    let coordinator = choices.once(in: 2) ? coordinators.last : coordinators.first
    let edit = try saveInOtherContext(id, theirs, coordinator)
    // Waits until the contexts that merge automatically have merged this save, before the next one.
    for other in roots where other.mergesAutomatically && other !== member { other.performing {} }
    let intervening = InterveningSave(coordinator: coordinator, uid: uid, values: theirs)

    var type = Self.policies[choices.below(5)]
    defer { context.mergePolicy = NSMergePolicy.error }
    if type == .errorMergePolicyType {
      note("\(member.name): try to save")
      do {
        try context.save()
        return "a save with a conflict did not fail"
      } catch let error as NSError {
        let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
        if error.code != NSManagedObjectMergeError || conflicts?.map(\.sourceObject) != [object] {
          return "a conflict threw \(error)"
        }
      }
      if let failure = try compare(member) { return failure }
      type = .mergeByPropertyObjectTrumpMergePolicyType
    }
    note("\(member.name): save with the policy \(type)")
    context.mergePolicy = NSMergePolicy(merge: type)
    let saved = member.inserted(on: store).union(member.dirty)
    let recorded = Recorder(.NSManagedObjectContextDidSave, of: context)
    recordRegisteredObjects()
    try context.save()
    let isNamed = mine.name != old.name
    let isRanked = mine.rank != old.rank
    var result = theirs
    switch type {
    case .mergeByPropertyStoreTrumpMergePolicyType:
      if isNamed, theirs.name == old.name { result.name = mine.name }
      if isRanked, theirs.rank == old.rank { result.rank = mine.rank }
    case .mergeByPropertyObjectTrumpMergePolicyType:
      if isNamed { result.name = mine.name }
      if isRanked { result.rank = mine.rank }
    case .overwriteMergePolicyType:
      (result.name, result.rank) = (mine.name, mine.rank)
    default: break
    }
    member.current.objects[uid]?.name = result.name
    member.current.objects[uid]?.rank = result.rank
    return try finishSave(
      member, saved.union([uid]), [edit] + recorded.notifications, intervening, &choices)
  }

  /// A save by another context between two states of the store. Contexts that merge automatically have merged it.
  struct InterveningSave {
    let coordinator: NSPersistentStoreCoordinator?
    let uid: Int
    let values: NaiveGraph.Object

    /// Returns a context's graph after it merged the save. A value that equals the saved one is no longer a change.
    func merged(into graph: NaiveGraph, over old: NaiveGraph) -> NaiveGraph {
      guard let before = old.objects[uid], let mine = graph.objects[uid] else { return graph }
      var graph = graph
      if mine.name == values.name { graph.objects[uid]?.name = before.name }
      if mine.rank == values.rank { graph.objects[uid]?.rank = before.rank }
      return graph
    }
  }

  /// Saves an object with these attributes in another context, and returns the notification for a later merge.
  private func saveInOtherContext(
    _ id: NSManagedObjectID, _ values: NaiveGraph.Object,
    _ coordinator: NSPersistentStoreCoordinator?
  ) throws -> Notification {
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    leaks.watch(other)
    other.persistentStoreCoordinator = coordinator
    let recorded = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      let object = try other.existingObject(with: id)
      object.setValue(values.name, forKey: "name")
      object.setValue(values.rank, forKey: "rank")
      try other.save()
    }
    guard let notification = recorded.notifications.first else {
      throw CocoaError(.coderValueNotFound)
    }
    return notification
  }
}
