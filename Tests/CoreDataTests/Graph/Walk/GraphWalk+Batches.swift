import CoreData

/// Batch requests, which write to the store without a context.
extension GraphWalk {
  func batch(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    guard kind.isSQL, let coordinator = member.context.persistentStoreCoordinator else {
      return nil
    }
    recordRegisteredObjects()
    let old = store
    var new = store
    let written: [NSManagedObjectID]
    let key: String
    switch choices.below(3) {
    case 0:
      (written, key) = (try insertRows(member, &new, &choices), NSInsertedObjectsKey)
      let count = new.objects.count - old.objects.count
      if written.count != count { return "\(written.count) rows were inserted instead of \(count)" }
    case 1:
      (written, key) = (try updateRows(member, &new, &choices), NSUpdatedObjectsKey)
      if written.count != new.touched.count {
        return "\(written.count) rows were updated instead of \(new.touched.sorted())"
      }
    default:
      (written, key) = (try deleteRows(member, &new, &choices), NSDeletedObjectsKey)
      // The result includes the rows that Cascade deleted.
      let count = old.objects.count - new.objects.count
      if written.count != count { return "\(written.count) rows were deleted instead of \(count)" }
    }
    if written.isEmpty { return nil }
    new.touched = []
    store = new
    for uid in old.objects.keys where new.objects[uid] == nil {
      formerIDs[uid] = ids[uid]
      ids[uid] = nil
    }
    let saved = new.difference(from: old).all
    for root in roots {
      let isAutomatic = mergesNow(root, from: coordinator)
      let isContradicted = contradicts(root, old, new)
      let rollsBackFirst = isContradicted && !isAutomatic && choices.once(in: 2)
      try root.performing {
        catchUp(root)
        if rollsBackFirst { rollback(root, to: old) }
        note("\(root.name): merge the batch\(isAutomatic ? " automatically" : "")")
        if !isAutomatic {
          NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [key: written], into: [root.context])
        }
        let mergedSave = MergedSave(
          old: old, new: new, refreshed: saved, notifications: [], intervening: nil)
        try adopt(mergedSave, root, isContradicted && !rollsBackFirst)
        recordMoods(root)
      }
    }
    // A child that merges automatically has merged the request immediately, even if it changes no values.
    if member.parent != nil { recordMoods(member) }
    // The graphs of the other children contain the changes already, but they merge after their parents, which may be
    // later.
    for child in members
    where child.parent != nil && child.mergesAutomatically
      && child.context.persistentStoreCoordinator === coordinator
    { child.mergesLate = true }
    return nil
  }

  private func insertRows(
    _ member: WalkMember, _ graph: inout NaiveGraph, _ choices: inout WalkStep.Choices
  ) throws -> [NSManagedObjectID] {
    guard graph.objects.count < 40 else { return [] }
    let entity = WalkModel.entities[choices.below(WalkModel.entities.count)]
    var rows: [[String: Any]] = []
    let first = nextUID
    for _ in 0...choices.below(3) {
      let rank = choices.below(6)
      rows.append(["uid": nextUID, "name": "a", "rank": rank])
      graph.objects[nextUID] = NaiveGraph.Object(entity: entity, name: "a", rank: rank)
      nextUID += 1
    }
    note("\(member.name): batch insert \(entity) \(Array(first..<nextUID))")
    let request = NSBatchInsertRequest(entityName: entity, objects: rows)
    request.resultType = .objectIDs
    let result = try member.context.execute(request) as? NSBatchInsertResult
    let written = result?.result as? [NSManagedObjectID] ?? []
    for (uid, id) in zip(first..<nextUID, written) { recordID(id, uid) }
    return written
  }

  private func updateRows(
    _ member: WalkMember, _ graph: inout NaiveGraph, _ choices: inout WalkStep.Choices
  ) throws -> [NSManagedObjectID] {
    var generator = choices.generator
    let query = WalkQuery(&generator)
    let rank = choices.below(6)
    note("\(member.name): batch update \(query.entity) \(query.format ?? "all") to rank \(rank)")
    let request = NSBatchUpdateRequest(entityName: query.entity)
    request.predicate = try query.request().predicate
    request.includesSubentities = query.includesSubentities
    request.propertiesToUpdate = ["rank": rank]
    request.resultType = .updatedObjectIDsResultType
    for uid in query.matching(graph) {
      graph.objects[uid]?.rank = rank
      graph.touched.insert(uid)
    }
    let result = try member.context.execute(request) as? NSBatchUpdateResult
    return result?.result as? [NSManagedObjectID] ?? []
  }

  private func deleteRows(
    _ member: WalkMember, _ graph: inout NaiveGraph, _ choices: inout WalkStep.Choices
  ) throws -> [NSManagedObjectID] {
    let stored = graph
    let candidates = stored.uids.filter { stored.objects[$0]?.entity != "Vault" }
    guard let some = choices.element(candidates), let entity = stored.objects[some]?.entity else {
      return []
    }
    let others = candidates.filter { stored.objects[$0]?.entity == entity }
    let uids = Set([some] + (0..<choices.below(3)).compactMap { _ in choices.element(others) })
    note("\(member.name): batch delete \(entity) \(uids.sorted())")
    let request: NSBatchDeleteRequest
    if choices.once(in: 2) {
      request = NSBatchDeleteRequest(objectIDs: uids.sorted().compactMap { ids[$0] })
    } else {
      let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
      fetch.predicate = NSPredicate(format: "uid IN %@", uids.sorted())
      request = NSBatchDeleteRequest(fetchRequest: fetch)
    }
    request.resultType = .resultTypeObjectIDs
    for uid in uids.sorted() { graph.delete(uid) }
    let result = try member.context.execute(request) as? NSBatchDeleteResult
    return result?.result as? [NSManagedObjectID] ?? []
  }
}
